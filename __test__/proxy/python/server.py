"""A server as FastMCP makes them: results of Python types, with a schema, a structured part and a text that repeats it."""

from fastmcp import Context, FastMCP

mcp = FastMCP("records", instructions="Ask for few records.")


@mcp.tool
async def records(n: int, ctx: Context) -> list[dict[str, str | int]]:
    """Gives n records."""
    await ctx.report_progress(1, 2, "half")
    await ctx.report_progress(2, 2, "all")
    return [{"id": i, "body": f"Record {i} " + "words " * 20} for i in range(n)]


@mcp.tool
def fail() -> str:
    """Fails."""
    raise ValueError("no such table")


@mcp.resource("data://greeting")
def greeting() -> str:
    """Says hello."""
    return "hello"


if __name__ == "__main__":
    mcp.run(show_banner=False)
