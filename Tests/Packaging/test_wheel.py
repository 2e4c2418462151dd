# SPDX-License-Identifier: Apache-2.0
#
# The Python wheel: what is in it, and programs that use it from a virtual environment outside of the checkout.
"""Tests of `make wheel`, and of the page's section on Python."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from Docs.documents import ROOT, blocks
from Packaging.checkout import BUILD, shell, version
from Packaging.debian import codename
from Packaging.page import make, only_file, snippet
from Servers.v2_server import V2Server
from Servers.waiting import wait_until

WORKERS = 2
LOADED = "import remora; print(next(line.split()[-1] for line in open('/proc/self/maps') if 'libremora' in line))"


@pytest.fixture(scope="module")
def wheel() -> Path:
    make("python")
    return only_file("remora_settings-*.whl")


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside of the checkout, with the virtual environment that the page's commands make."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "build/dist").mkdir(parents=True)
    shutil.copy(wheel, folder / "build/dist")
    commands = snippet("sh", "python", "install").replace("python3 -m", f"{sys.executable} -m")
    shell(commands, folder, {**ENVIRONMENT, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    return folder


@pytest.fixture
def server() -> Iterator[V2Server]:
    """Serves the collection "demo" with the record "banner", unsigned."""
    with V2Server(None) as running:
        running.collection("demo").publish({"banner": {"n": 1}})
        yield running


# Nothing of the checkout may be found by the variables of the test run.
# What a wheel of each Debian needs. That of Debian 12 is for all systems.
GLIBC = {"bookworm": "2_34", "trixie": "2_38"}
ENVIRONMENT = {"PYTHONPATH": "", "REMORA_LIBRARY": "", "LD_LIBRARY_PATH": ""}


def python(place: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program with the Python of the virtual environment."""
    return subprocess.run(
        ["venv/bin/python", *arguments], cwd=place, env={**os.environ, **ENVIRONMENT, **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_the_wheel_contains_the_library_the_licences_and_the_readme_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        notices = archive.read(f"remora_settings-{version()}.dist-info/licenses/LICENSES.md").decode()
        metadata = archive.read(f"remora_settings-{version()}.dist-info/METADATA").decode()
    information = f"remora_settings-{version()}.dist-info"
    licences = {f"{information}/licenses/LICENSE", f"{information}/licenses/LICENSES.md"}
    expected = {"remora/libremora.so.0", "remora/remora", "remora/py.typed"} | licences
    hook = "remora_pyinstaller/hook-remora.py"
    assert expected | {"remora/testing/server.py", "remora_pytest.py", hook} <= names
    assert notices == (ROOT / "LICENSES.md").read_text(encoding="utf-8")
    assert not [name for name in names if "__pycache__" in name or "tests/" in name or "test_" in name]
    assert (ROOT / "packaging/wheel/README.md").read_text(encoding="utf-8") in metadata + "\n"


def test_auditwheel_confirms_the_platform_of_the_wheel(wheel: Path) -> None:
    platform = wheel.stem.split("-")[-1]
    shown = " ".join(shell(f"{sys.executable} -m auditwheel show {wheel}", ROOT).split())
    assert f'is consistent with the following platform tag: "{platform}"' in shown
    assert platform.startswith(f"manylinux_{GLIBC[codename()]}_")


def test_the_library_in_the_wheel_exports_the_c_api_and_does_not_depend_on_jansson(wheel: Path) -> None:
    library = BUILD / "wheel/library/libremora.so"
    shell(f"scripts/check-exports {library}", ROOT)
    assert "jansson" not in shell(f"readelf --dynamic {library}", ROOT)
    assert "json_" not in shell(f"nm --dynamic {library}", ROOT)


def test_python_m_remora_and_the_command_remora_run_the_tool_in_the_wheel(place: Path) -> None:
    for command in [["-m", "remora"], ["venv/bin/remora"]]:
        done = python(place, *command, "--version", PATH="/nowhere")
        assert (done.returncode, done.stdout.split()) == (0, ["remora", version()]), done.stderr
    linked = shell(f"ldd {place}/venv/lib/python*/site-packages/remora/remora", place)
    assert "jansson" not in linked and "not found" not in linked


def test_pip_refuses_the_wheel_on_another_platform(wheel: Path, tmp_path: Path) -> None:
    for platform in ["musllinux_1_2_x86_64", "manylinux_2_28_x86_64", "macosx_14_0_arm64"]:
        line = f"{sys.executable} -m pip install --no-index --no-deps --target {tmp_path} --only-binary=:all:"
        assert "is not a supported wheel on this platform" in shell(f"! {line} --platform {platform} {wheel}", ROOT)


def test_the_python_package_loads_the_library_in_the_wheel_instead_of_an_installed_library(
    place: Path, tmp_path: Path
) -> None:
    (tmp_path / "old.c").write_text('const char *remora_version(void) { return "0.0.1"; }\n')
    shell("cc -shared -fPIC -Wl,-soname,libremora.so.0 old.c -o libremora.so.0", tmp_path)
    done = python(place, "-c", LOADED, LD_LIBRARY_PATH=str(tmp_path))
    assert done.stdout.strip().endswith("site-packages/remora/libremora.so.0"), done.stderr
    named = python(place, "-c", LOADED, REMORA_LIBRARY=str(tmp_path / "libremora.so.0"))
    assert re.search(r"ImportError: remora needs version .*/libremora.so.0 is version 0.0.1", named.stderr)


@pytest.mark.parametrize("source", ["quickstart", "readme"])
def test_with_the_wheel_installed_the_python_quickstart_reads_from_a_server(
    place: Path, server: V2Server, source: str
) -> None:
    (program,) = [block.text for block in blocks(ROOT / "packaging/wheel/README.md") if block.words == ("python",)]
    if source == "quickstart":
        program = (ROOT / "examples/python/quickstart.py").read_text(encoding="utf-8")
    (place / f"{source}.py").write_text(program, encoding="utf-8")
    done = python(place, f"{source}.py", server.url, "demo", "banner", "/last_modified")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"/last_modified = {server.collection('demo').timestamp}\n"


def test_with_the_wheel_installed_the_asyncio_example_is_notified_of_a_change(
    place: Path, server: V2Server, tmp_path: Path
) -> None:
    for name in ["watch.py", "event_loop.py"]:
        shutil.copy(ROOT / "examples/python" / name, place)
    program = subprocess.Popen(
        ["venv/bin/python", "-u", "event_loop.py", server.url, "off", "demo", str(tmp_path / "storage")],
        cwd=place, env={**os.environ, **ENVIRONMENT}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    with program:
        assert program.stdout
        lines = []
        for line in program.stdout:
            lines.append(line)
            if line == "ready\n":
                server.collection("demo").publish({"banner": {"n": 2}})
    assert program.returncode == 0 and any(line.startswith("change updated banner") for line in lines), lines


def test_with_the_wheel_installed_both_gunicorn_workers_read_data_that_one_of_them_fetches(
    place: Path, server: V2Server, tmp_path: Path
) -> None:
    (packages,) = (place / "venv/lib").glob("python*/site-packages")
    for name in ["gunicorn", "packaging"]:
        module = __import__(name)
        with contextlib.suppress(FileExistsError):
            (packages / name).symlink_to(Path(module.__file__ or "").parent)
    shutil.copy(ROOT / "Tests/Hosts/wsgi_app.py", place)
    settings = {"APP_STORAGE": str(tmp_path / "storage"), "APP_SERVER": server.url, "APP_COLLECTION": "demo"}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        command = ["venv/bin/python", "-m", "gunicorn", "--preload", "--no-control-socket", "--workers", str(WORKERS)]
        host = subprocess.Popen(
            [*command, "--bind", f"fd://{listener.fileno()}", "wsgi_app:application"], cwd=place,
            env={**os.environ, **ENVIRONMENT, **settings, "APP_AT_IMPORT": "refresh"},
            stderr=(place / "gunicorn.log").open("w"), pass_fds=[listener.fileno()],
        )  # fmt: skip
    try:
        server.collection("demo").publish({"banner": {"n": 2}})
        assert ask(port, "/refresh")["n"] == 2
        answers: dict[int, int] = {}

        def all_workers_answer() -> bool:
            answer = ask(port, "/")
            answers[answer["pid"]] = answer["n"]
            return len(answers) == WORKERS and set(answers.values()) == {2}

        wait_until(all_workers_answer, "n = 2 in both workers", 30)
    finally:
        host.send_signal(signal.SIGTERM)
        status = host.wait(30)
    assert status == 0, (place / "gunicorn.log").read_text()


def ask(port: int, path: str) -> dict[str, int]:
    """The answer of some worker."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path)
        answer: dict[str, int] = json.load(connection.getresponse())
    return answer
