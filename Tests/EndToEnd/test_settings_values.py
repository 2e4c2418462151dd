# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of the values of settings, each under its number.
"""Remote settings: values by their types."""

from __future__ import annotations

from EndToEnd.hosts import ON_NGINX_TOO
from EndToEnd.settings_hosts import PATH, StaticSettingsHosts


@ON_NGINX_TOO
def test_m15_an_existing_value_takes_precedence_over_the_default_of_the_caller(settings: StaticSettingsHosts) -> None:
    host = settings.say(i=0, d=0.0, s="", b=False, f=1.5, u="http://h", o={"n": [0]}).open(activation="immediate")
    host.update()
    for kind, key, default, expected in [
        ("int", "i", 3, 0), ("float", "d", 3, 0.0), ("str", "s", "x", ""), ("bool", "b", 1, 0),
        ("float", "f", 3, 1.5), ("int", "absent", 3, 3), ("str", "absent", "x", "x"), ("bool", "absent", 1, 1),
        ("url", "u", "x", "http://h"), ("url", "absent", "x", "x"),
    ]:  # fmt: skip
        assert host.succeed(f"get_{kind}", key, None, default)["value"] == expected, key
    assert host.get_int("o", "/n/0", 3) == 0
    assert host.value("o") == {"n": [0]}


@ON_NGINX_TOO
def test_m16_a_number_is_converted_only_if_the_conversion_is_exact(settings: StaticSettingsHosts) -> None:
    settings.server.say(b'{"i":3,"d":2.5,"z":3.0}', PATH)
    host = settings.updated(activation="immediate")
    assert [host.run("get_float", key, None, -1)["value"] for key in "idz"] == [3.0, 2.5, 3.0]
    assert [host.get_int(key) for key in "idz"] == [3, -1, 3]
    assert [host.run("require", "int", key)["status"] for key in "idz"] == [
        "REMORA_OK",
        "REMORA_ERR_WRONG_TYPE",
        "REMORA_OK",
    ]


@ON_NGINX_TOO
def test_m18_only_true_and_false_are_read_as_booleans(settings: StaticSettingsHosts) -> None:
    host = settings.say(b=True, n=1).open(activation="immediate")
    host.update()
    assert [host.run("get_bool", key, None, 0)["value"] for key in "bn"] == [1, 0]
    assert [host.run("require", "bool", key)["status"] for key in "bn"] == ["REMORA_OK", "REMORA_ERR_WRONG_TYPE"]


@ON_NGINX_TOO
def test_m19_a_value_is_read_as_a_url_if_it_is_an_absolute_uri_of_any_scheme(settings: StaticSettingsHosts) -> None:
    settings.say(u="https://h/p?q#f", x="picsart://editor", v="not a url", w="/p", y=1)
    host = settings.updated(activation="immediate")
    assert [host.run("get_url", key, None, "none")["value"] for key in "uxvwyz"] == [
        "https://h/p?q#f", "picsart://editor", *["none"] * 4
    ]  # fmt: skip
    assert [host.run("require", "url", key)["status"] for key in "uxvwyz"] == [
        *["REMORA_OK"] * 2, *["REMORA_ERR_WRONG_TYPE"] * 3, "REMORA_ERR_NOT_FOUND"
    ]  # fmt: skip


@ON_NGINX_TOO
def test_m21_a_null_value_reads_like_a_missing_value(settings: StaticSettingsHosts) -> None:
    host = settings.say(k=None).open(activation="immediate")
    host.update()
    assert host.get_str("k", None, "default") == "default"
    assert host.run("require", "str", "k")["status"] == "REMORA_ERR_NOT_FOUND"


@ON_NGINX_TOO
def test_m22_integers_are_exact_and_numbers_beyond_the_range_of_a_double_are_refused(
    settings: StaticSettingsHosts,
) -> None:
    exact = {"n": 9007199254740993, "most": 2**63 - 1, "least": -(2**63)}
    host = settings.say(**exact).open(activation="immediate")
    host.update()
    for number_that_is_none in [b"1e400", b"-1e400", b"9223372036854775808", b"NaN"]:
        settings.server.say(b'{"n":%b}' % number_that_is_none, PATH)
        answer = host.refresh()
        assert (answer["status"], answer["outcome"]) == ("REMORA_ERR_PARSE", "refused"), number_that_is_none
    for reader in (host, settings.open()):
        assert {key: reader.get_int(key) for key in exact} == exact
        assert reader.values() == exact
        assert reader.run("require", "float", "n")["status"] == "REMORA_ERR_WRONG_TYPE"
