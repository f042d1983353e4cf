"""How the time for a graph grows when the graph is four times as large, beside plain linear work in the same run."""

from run import program_rows

STEPS = ["build", "verify", "print", "parse", "hash", "copy", "dead_code"]

program_rows(
    "ir_bench", "--scaling", beside="linear work", at_most=1.25, unit="",
    rows={f"{graph}_{step}": f"{about}: {step.replace('_', ' ')}" for graph, about in
          {"flat": "100,000 to 400,000 nodes", "nested": "2,500 to 10,000 nested blocks"}.items() for step in STEPS},
)  # fmt: skip
