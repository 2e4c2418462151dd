# SPDX-License-Identifier: Apache-2.0
"""Exceptions."""

from __future__ import annotations

import builtins
import copy
import errno
import pickle

import pytest

import remora
from remora import _ffi, errors
from Servers import v2_faults, v2_lies
from Servers.pki import Pki
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

STATUSES = {name: number for name, number in _ffi.CONSTANTS.items() if name.startswith("REMORA_ERR_")}
FAMILIES = {
    1: remora.NetworkError,
    2: remora.DocumentError,
    3: remora.TrustError,
    4: remora.FreshnessError,
    5: remora.StorageError,
}


@pytest.mark.parametrize("name", STATUSES)
def test_every_error_status_has_its_own_exception_class_in_the_family_of_the_status(name: str) -> None:
    error = errors.error_from(int(STATUSES[name]), "a sentence", 503, 1500, "main/a")
    word = name.removeprefix("REMORA_ERR_").title().replace("_", "")
    assert type(error).__name__ == f"{word}Error" and getattr(remora, f"{word}Error") is type(error)
    assert [number for number, family in FAMILIES.items() if isinstance(error, family)] == [
        number for number in FAMILIES if number == -error.status // 100
    ]
    assert (error.status, error.name, error.message) == (STATUSES[name], name, "a sentence")
    assert (error.http_status, error.retry_after, str(error)) == (503, 1.5, "main/a: a sentence")
    assert error.source_name == "main/a" and name in repr(error)


def test_an_error_has_the_code_of_the_system_which_is_the_errno_of_a_storage_error() -> None:
    code = errors.error_from(-500, "the disk is full", system_code=errno.ENOSPC)
    assert isinstance(code, remora.StorageError) and (code.system_code, code.errno) == (errno.ENOSPC, errno.ENOSPC)
    network = errors.error_from(-100, "no connection", system_code=7)
    assert network.system_code == 7 and errors.error_from(-100, "no connection").system_code is None


@pytest.mark.parametrize(
    ("parameter", "message", "shown"),
    [
        (
            "timeout_ms",
            "timeout_ms is -5; -1 is the only negative number",
            "timeout is -5; -1 is the only negative number",
        ),
        ("default_bundle", "default_bundle names timeout_ms", "default names timeout_ms"),
        ("key", "key is empty", "key is empty"),
        ("", "timeout_ms is a word of this message", "timeout_ms is a word of this message"),
    ],
)
def test_the_message_of_an_error_begins_with_the_name_of_the_parameter_in_python(
    parameter: str, message: str, shown: str
) -> None:
    assert errors.error_from(-700, message, parameter=parameter).message == shown


@pytest.mark.parametrize(
    ("status", "family"), [(-101, "network"), (-300, "trust"), (-600, "system"), (-701, "call"), (-999, "unknown")]
)
def test_an_error_has_the_name_of_the_family_of_its_status(status: int, family: str) -> None:
    assert remora.Error(status, "x").family == family


def test_an_attribute_of_an_error_has_the_value_none_if_the_library_does_not_set_it() -> None:
    error = errors.error_from(-100, "a sentence")
    assert (error.http_status, error.retry_after, error.source_name, error.system_code) == (None, None, None, None)
    assert str(error) == "a sentence"


@pytest.mark.parametrize(("status", "base"), [(-399, remora.TrustError), (-699, remora.Error), (-12345, remora.Error)])
def test_an_unknown_error_status_is_raised_as_the_base_class_of_its_family(
    status: int, base: type[remora.Error]
) -> None:
    error = errors.error_from(status, "a sentence")
    assert type(error) is base and (error.status, error.name) == (status, "REMORA_ERR_UNKNOWN")


@pytest.mark.parametrize("name", STATUSES)
def test_an_error_keeps_all_attributes_when_it_is_copied_or_pickled(name: str) -> None:
    error = errors.error_from(int(STATUSES[name]), "a sentence", 503, 1500, "main/a")
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(made) is type(error) and made.__reduce__() == error.__reduce__() and str(made) == str(error)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (remora.InvalidArgumentError, ValueError),
        (remora.NotFoundError, KeyError),
        (remora.WrongTypeError, TypeError),
        (remora.TimeoutError, builtins.TimeoutError),
        (remora.StorageError, OSError),
        (remora.PermissionError, builtins.PermissionError),
    ],
)
def test_an_error_class_is_a_subclass_of_the_matching_builtin_exception(
    error: type[remora.Error], builtin: type[Exception]
) -> None:
    assert issubclass(error, builtin)


def test_an_http_error_has_the_http_status_of_the_server(source: remora.Source, server: V2Server) -> None:
    server.set_fault("changeset", v2_faults.status(503))
    with pytest.raises(remora.HttpError) as caught:
        source.refresh(30)
    assert caught.value.http_status == 503 and isinstance(caught.value, remora.NetworkError)
    assert source.info().last_error is not None and source.get_str("banner", "/text") == "Hi"


def test_a_backoff_error_has_the_time_until_the_next_request_is_allowed(
    source: remora.Source, server: V2Server
) -> None:
    server.set_fault("changeset", v2_faults.status(503, retry_after="60"))
    with pytest.raises(remora.NetworkError):
        source.refresh(30)
    with pytest.raises(remora.BackoffError) as caught:
        source.refresh(30)
    assert 0 < (caught.value.retry_after or 0) <= 60 and 0 < (source.info().retry_after or 0) <= 60


def test_an_invalid_response_raises_a_specific_error_and_the_previous_data_can_still_be_read(
    signing_server: V2Server, pki: Pki
) -> None:
    collection: Collection = signing_server.collection("signed")
    collection.publish({"banner": {"text": "true"}})
    with remora.Client.in_memory(server=signing_server.url) as client:
        source = client.collection("signed", root_sha256=pki.root_sha256)
        assert source.refresh(30) is remora.Outcome.UPDATED and source.snapshot().verified
        collection.publish({"banner": {"text": "truer"}})
        signing_server.set_fault("changeset", v2_lies.forged_record())
        with pytest.raises(remora.TrustError) as caught:
            source.refresh(30)
        assert type(caught.value) is remora.SignatureMismatchError and source.get_str("banner", "/text") == "true"
        signing_server.clear_faults()


def test_a_storage_directory_that_is_a_file_raises_storage_error(tmp_path: "builtins.object") -> None:
    file = f"{tmp_path}/file"
    open(file, "w").close()
    with pytest.raises(remora.StorageError) as caught:
        remora.Client(file)
    assert isinstance(caught.value, OSError) and "file" in str(caught.value)


def test_a_network_error_has_the_code_of_libcurl() -> None:
    with remora.Client.in_memory(server="http://127.0.0.1:1") as client, pytest.raises(remora.NetworkError) as caught:
        client.collection("demo", trust="off").refresh(30)
    assert caught.value.system_code == 7, "CURLE_COULDNT_CONNECT"
