# SPDX-License-Identifier: Apache-2.0
"""The peers as the benchmarks use them: from a local document, asking nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def open_eppo(path: Path) -> Any:
    """Read with `get_boolean_assignment(key, subject, attributes, default)`."""
    import eppo_client

    class Silent(eppo_client.AssignmentLogger):
        def log_assignment(self, event: object) -> None:
            """Nothing is to be logged."""

    return eppo_client.init(
        eppo_client.ClientConfig(
            api_key="none",
            assignment_logger=Silent(),
            initial_configuration=eppo_client.Configuration(flags_configuration=path.read_bytes()),
            poll_interval_seconds=None,
        )
    )


def open_configcat(path: Path) -> Any:
    """Read with `get_value(key, default)`."""
    import configcatclient
    from configcatclient.localfiledatasource import LocalFileFlagOverrides
    from configcatclient.overridedatasource import OverrideBehaviour

    return configcatclient.get(
        "a" * 22 + "/" + "b" * 22,
        configcatclient.ConfigCatOptions(
            polling_mode=configcatclient.PollingMode.manual_poll(),
            offline=True,
            flag_overrides=LocalFileFlagOverrides(str(path), OverrideBehaviour.LocalOnly),
        ),
    )
