# SPDX-License-Identifier: Apache-2.0
"""The other libraries, each with a local document and without requests: how they are opened and read.

Each `open_` function returns the variables of the statement in `READS`, which is written as a user writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

MODULES = {
    "eppo": "eppo_client",
    "configcat": "configcatclient",
    "statsig": "statsig_python_core",
    "yggdrasil": "yggdrasil_engine",
    "flipt": "flipt_client",
    "launchdarkly": "ldclient",
}
READS = {
    "eppo": "eppo.get_boolean_assignment(key, 'user', {}, False)",
    "configcat": "configcat.get_value(key, False)",
    "statsig": "statsig.check_gate(statsig_user, key)",
    "yggdrasil": "yggdrasil.is_enabled(key, {}).is_enabled",
    "flipt": "flipt.evaluate_boolean(key, 'user').enabled",
    "launchdarkly": "launchdarkly.variation(key, launchdarkly_context, False)",
}
"""The statement that reads one boolean."""
CLOSES = {
    "configcat": "configcat.close()",
    "statsig": "statsig.shutdown().wait()",
    "flipt": "flipt.close()",
    "launchdarkly": "launchdarkly.close()",
}
"""The statement at the end of a process, for libraries that have one."""


def open_peer(name: str, path: Path) -> dict[str, Any]:
    return OPENERS[name](path)


def _open_eppo(path: Path) -> dict[str, Any]:
    import eppo_client

    class Silent(eppo_client.AssignmentLogger):
        def log_assignment(self, event: object) -> None:
            """Logs nothing."""

    config = eppo_client.ClientConfig(
        api_key="none",
        assignment_logger=Silent(),
        initial_configuration=eppo_client.Configuration(flags_configuration=path.read_bytes()),
        poll_interval_seconds=None,
    )
    return {"eppo": eppo_client.init(config)}


def _open_configcat(path: Path) -> dict[str, Any]:
    import configcatclient
    from configcatclient.localfiledatasource import LocalFileFlagOverrides
    from configcatclient.overridedatasource import OverrideBehaviour

    options = configcatclient.ConfigCatOptions(
        polling_mode=configcatclient.PollingMode.manual_poll(),
        offline=True,
        flag_overrides=LocalFileFlagOverrides(str(path), OverrideBehaviour.LocalOnly),
    )
    return {"configcat": configcatclient.get("a" * 22 + "/" + "b" * 22, options)}


def _open_statsig(path: Path) -> dict[str, Any]:
    from statsig_python_core import Statsig, StatsigOptions, StatsigUser
    from statsig_python_core.data_store import DataStore, DataStoreResponse

    class Local(DataStore):
        def get(self, key: str) -> DataStoreResponse:
            return DataStoreResponse(result=path.read_text(encoding="utf-8"), time=1)

    options = StatsigOptions(
        data_store=Local(),
        disable_network=True,
        disable_all_logging=True,
        disable_country_lookup=True,
        disable_disk_access=True,
        enable_id_lists=False,
        output_log_level="none",
    )
    client = Statsig("secret-none", options)
    client.initialize().wait()
    return {"statsig": client, "statsig_user": StatsigUser("user")}


def _open_yggdrasil(path: Path) -> dict[str, Any]:
    from yggdrasil_engine.engine import UnleashEngine

    engine = UnleashEngine()
    engine.take_state(path.read_text(encoding="utf-8"))
    return {"yggdrasil": engine}


def _open_flipt(path: Path) -> dict[str, Any]:
    import base64

    from flipt_client import FliptClient
    from flipt_client.models import ClientOptions, ErrorStrategy

    # The client has no offline mode, and repeats a request to an unreachable server for seconds. It does not repeat one
    # with a URL that is not HTTP.
    options = ClientOptions(
        url="file:///none",
        snapshot=base64.b64encode(path.read_bytes()).decode(),
        error_strategy=ErrorStrategy.FALLBACK,
        update_interval=86400,
    )
    return {"flipt": FliptClient(options)}


def _open_launchdarkly(path: Path) -> dict[str, Any]:
    from ldclient import Context, LDClient
    from ldclient.config import Config
    from ldclient.integrations import Files

    config = Config("none", update_processor_class=Files.new_data_source(paths=[str(path)]), send_events=False)
    return {"launchdarkly": LDClient(config), "launchdarkly_context": Context.create("user")}


OPENERS = {
    "eppo": _open_eppo,
    "configcat": _open_configcat,
    "statsig": _open_statsig,
    "yggdrasil": _open_yggdrasil,
    "flipt": _open_flipt,
    "launchdarkly": _open_launchdarkly,
}
