# SPDX-License-Identifier: Apache-2.0
"""asyncio: programs that simply end, on the loop of the standard library and on uvloop."""

from __future__ import annotations

import pytest

from conftest import RunPython
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

BEGIN = """
import asyncio, signal, sys
import remora.aio
signal.alarm(50)
async def main():
    client = remora.aio.Client.in_memory(server=sys.argv[1])
    source = client.collection(sys.argv[2], trust="off", on_event=lambda event: None)
    await source.refresh(30)
    changes = source.changes()
"""

ENDS = {
    "asyncio.run": "    return client, source, changes\nkept = asyncio.run(main())",
    "dropped": "    return None\nkept = asyncio.run(main())",
    "a task that waits": "    asyncio.create_task(changes.__anext__()); await asyncio.sleep(0)\nasyncio.run(main())",
    "a task that loops": "    async def watch():\n        async for change in source.changes(): pass\n"
    "    asyncio.create_task(watch()); await asyncio.sleep(0)\nasyncio.run(main())",
    "a loop that is never closed": "    return client, source, changes\n"
    "loop = asyncio.new_event_loop(); kept = loop.run_until_complete(main())\nimport warnings; warnings.simplefilter('ignore')",
    "a loop that is closed by hand": "    return client, source, changes\n"
    "loop = asyncio.new_event_loop(); kept = loop.run_until_complete(main()); loop.close()",
    "sys.exit in the loop": "    sys.exit(0)\nasyncio.run(main())",
    "sys.exit in a callback": "    kept = source.subscribe(lambda event: sys.exit(0), replay=True); await asyncio.sleep(30)\n"
    "asyncio.run(main())",
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_an_asyncio_program_that_exits_without_closing_its_client_prints_nothing(
    loop: str, name: str, server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = BEGIN + ENDS[name]
    if loop == "uvloop":
        pytest.importorskip("uvloop")
        program = f"import uvloop, asyncio\nasyncio.set_event_loop_policy(uvloop.EventLoopPolicy())\n{program}"
    done = run_python(program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
