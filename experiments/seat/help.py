"""What a person at the prompt can ask for besides playing, and how the line is completed."""

from __future__ import annotations

from textwrap import fill, indent

from experiments.seat.typed import find_tool
from medchain.core.words import COORDINATOR
from medchain.tools.names import Names
from medchain.tools.registry import TOOLS, Tool
from medchain.tools.text_system import plan_example, system_text

COMMANDS = {
    "help": "this list; help TOOL: a tool's parameters; help rules: the standing instructions that a model gets",
    "look": "show again what you last saw",
    "quit": "stop here (Ctrl-D does too)",
}
WELCOME = (
    "You are the coordinator of a hospital pharmacy; wards and review board are scripted. Type `help` for the tools, "
    "`help rules` for the rules in short, `quit` to stop. A call: view_requests, or submit_po MEDLINE IV-SAL-500 "
    "central_pharmacy 400, or sku=... by name, or JSON as a model writes it."
)
WIDTH = 110


def help_text(names: Names, about: str) -> str:
    """Help on everything, on the rules, or on a tool; raises ToolError for a tool that does not exist."""
    about = about.strip()
    if about == "rules":
        rules = system_text(names, COORDINATOR, list_tools=False).splitlines()
        return "\n".join(fill(line, WIDTH, subsequent_indent="  " if line.startswith("-") else "") for line in rules)
    if about:
        return tool_help(names, find_tool(about))
    lines = []
    for system in dict.fromkeys(tool.system for tool in TOOLS):
        lines.append(f"{system}:")
        lines += [f"  {tool.signature}" for tool in TOOLS if tool.system == system]
    lines.append("at this prompt:")
    lines += [f"  {name}: {what}" for name, what in COMMANDS.items()]
    return "\n".join(lines)


def tool_help(names: Names, tool: Tool) -> str:
    """A tool's description and parameters with their legal values."""
    lines = [tool.signature, indent(fill(tool.description, WIDTH - 2), "  ")]
    for parameter in tool.parameters:
        words = parameter.type.words(names)
        legal = f": {', '.join(words)}" if words else ""
        optional = "" if parameter.required else " (optional)"
        told = f"{parameter.name}{optional} - {parameter.description}{legal}"
        lines.append(fill(told, WIDTH, initial_indent="  ", subsequent_indent="      "))
    if any(parameter.name == "plan_json" for parameter in tool.parameters):
        lines.append(f"  such as plan_json={plan_example(names)}")
    return "\n".join(lines)


def completions(names: Names, line: str) -> list[str]:
    """What the last word of a line may become: commands, tools, parameters with `=`, legal values."""
    words = line.split(" ")
    last = words[-1]
    if len(words) == 1:
        return [f"{w} " for w in [*COMMANDS, *(tool.name for tool in TOOLS)] if w.startswith(last)]
    if words[0] == "help":
        return [w for w in ["rules", *(tool.name for tool in TOOLS)] if w.startswith(last)]
    tool = next((tool for tool in TOOLS if tool.name == words[0]), None)
    if tool is None:
        return []
    key, named, begun = last.partition("=")
    parameters = {p.name: p for p in tool.parameters}
    if named:
        legal = parameters[key].type.words(names) if key in parameters else []
        return [f"{key}={value} " for value in legal if value.startswith(begun)]
    given = {word.partition("=")[0] for word in words[1:-1]}
    found = [f"{name}=" for name in parameters if name.startswith(last) and name not in given]
    place = len(words) - 2
    if place < len(tool.parameters):
        found += [f"{w} " for w in tool.parameters[place].type.words(names) if last and w.startswith(last)]
    return found


def install_completion(names: Names) -> bool:
    """Complete with Tab and keep a history where the terminal can; whether it can."""
    try:
        import readline
    except ImportError:
        return False

    def complete(text: str, state: int) -> str | None:
        found = completions(names, readline.get_line_buffer()[: readline.get_endidx()])
        return found[state] if state < len(found) else None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    return True
