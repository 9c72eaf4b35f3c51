class ToolError(Exception):
    """A call that failed; of a tool's own failure the message is the tool's.

    tool: the tool that was called.
    code: such as CLOSED, TIMEOUT, INVALID_INPUT, INVALID_ANSWER, PREVIEW, REQUEST_TOO_LARGE; None for a tool's own failure.
    """

    def __init__(self, tool: str, message: str, code: Optional[str] = None) -> None:
        super().__init__(message)
        self.tool = tool
        self.code = code


class PreviewError(ToolError):
    """A result that is only a preview, where all of it was asked for.

    notice: what is missing, and the response_id by which it is read.
    preview: the preview.
    """

    def __init__(self, tool: str, notice: Dict[str, Any], preview: str) -> None:
        super().__init__(tool, f"the result is only a preview: {notice.get('message')}", "PREVIEW")
        self.notice = notice
        self.preview = preview


class Unset:
    """The type of UNSET: no value at all, where None would be one."""


UNSET = Unset()


def _call(tool: str, given: Dict[str, Any], nullable: Tuple[str, ...], timeout: Optional[float], form: Optional[str] = None) -> str:
    """Calls a tool; None stands for no value, but for those that are nullable."""
    values = {name: value for name, value in given.items() if value is not UNSET and (value is not None or name in nullable)}
    try:
        body = _json.dumps({"tool": tool, "input": values, "format": form}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolError(tool, f"{tool} was not run: its arguments have no JSON form: {error}", "INVALID_INPUT") from error
    if timeout is not None and not timeout > 0:
        raise ToolError(tool, f"{tool} was not run: _timeout must be more than 0, in seconds", "INVALID_INPUT")
    status, text = _post(tool, body, timeout)
    answer = _parse(text)
    if not isinstance(answer, dict):
        raise ToolError(tool, _CLOSED, "CLOSED")
    result = answer.get("result")
    if isinstance(result, str):
        return result
    # Somebody else listens there by now, or nobody will any more.
    if status in (401, 503):
        raise ToolError(tool, _CLOSED, "CLOSED")
    notice = answer.get("notice")
    if isinstance(notice, dict):
        raise PreviewError(tool, notice, str(answer.get("preview", "")))
    raise ToolError(tool, str(answer.get("error")), answer.get("code"))


def _call_json(tool: str, given: Dict[str, Any], nullable: Tuple[str, ...], timeout: Optional[float]) -> Any:
    """The typed face of a tool: its result as a value, never a preview."""
    text = _call(tool, given, nullable, timeout, "json")
    value = _parse(text)
    if value is UNSET:
        raise ToolError(tool, f"the result is no JSON: {text[:200]}", "INVALID_ANSWER")
    return value


def _parse(text: str) -> Any:
    try:
        return _json.loads(text)
    except (ValueError, RecursionError):
        return UNSET


def _post(tool: str, body: str, timeout: Optional[float]) -> Tuple[int, str]:
    try:
        with open(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "@secrets@"), encoding="utf-8") as file:
            secrets = _json.load(file)
    except (OSError, ValueError) as error:
        raise ToolError(tool, _CLOSED, "CLOSED") from error
    headers = {"Authorization": "Bearer " + secrets["token"], "Content-Type": "application/json"}
    address, slash, below = secrets["url"].partition("//")[2].partition("/")
    connection = _http.HTTPConnection(address, timeout=timeout)
    try:
        connection.request("POST", f"{slash}{below}/exec", body, headers)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "surrogatepass")
    except _socket.timeout as error:
        raise ToolError(tool, f"no answer within {timeout} s; the tool may have run", "TIMEOUT") from error
    except ConnectionRefusedError as error:
        raise ToolError(tool, _CLOSED, "CLOSED") from error
    except (OSError, _http.HTTPException) as error:
        raise ToolError(tool, _ENDED, "CLOSED") from error
    finally:
        connection.close()


_CLOSED = "no answer from the session, which is closed or was started elsewhere; its host has to start it again"
_ENDED = "the session ended during the call; the tool may have run"
