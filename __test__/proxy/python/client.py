"""The Python SDK as a client: python client.py MODE COMMAND [ARG ...]. Prints what it got as JSON."""

import asyncio
import json
import sys

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client


async def main() -> None:
    mode, command, *args = sys.argv[1:]
    server = stdio_client(StdioServerParameters(command=command, args=args))
    async with Client(server, mode=mode) as client:
        listed = await client.list_tools()
        big = await client.call_tool("big", {"n": 500})
        notice = json.loads(big.content[0].text)["truncation"]
        part = await client.call_tool(
            "compressor_recover_response", {"response_id": notice["response_id"], "path": "/records/321"}
        )
        resource = await client.read_resource("test://shared")
        print(
            json.dumps(
                {
                    "version": client.protocol_version,
                    "tools": [tool.name for tool in listed.tools],
                    "size": len(big.content[0].text),
                    "part": part.content[0].text,
                    "resource": resource.contents[0].text,
                }
            )
        )


asyncio.run(main())
