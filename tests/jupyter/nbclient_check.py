"""Runs notebooks with the posttrain kernel through nbclient, strictly: a message that is missing is an error.

pip install nbclient==0.11.0
"""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


EXERCISE = "application/vnd.posttrain.exercise+json"
LARGE = 200_000


def notebook(*cells):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata.kernelspec = {"name": "posttrain", "display_name": "TypeScript (posttrain)", "language": "typescript"}
    return made


def run(made, folder, **options):
    client = NotebookClient(
        made,
        kernel_name="posttrain",
        timeout=300,
        raise_on_iopub_timeout=True,
        iopub_timeout=60,
        startup_timeout=300,
        resources={"metadata": {"path": str(folder)}},
        **options,
    )
    client.execute()
    return made


def text(cell):
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def course(folder):
    """Every notebook of a folder, in little: all cells run, none fails or says too much, and the exercise waits for its solution."""
    os.environ["POSTTRAIN_FAST"] = "1"
    for file in sorted(folder.glob("[0-9][0-9]-*.ipynb")):
        made = nbformat.read(file, as_version=4)
        try:
            run(made, folder)
        except CellExecutionError as error:
            print(error)
        nbformat.validate(made)
        code = [cell for cell in made.cells if cell.cell_type == "code"]
        outputs = [output for cell in code for output in cell.outputs]
        outcomes = [output.data[EXERCISE] for output in outputs if EXERCISE in output.get("data", {})]
        yield check(f"{file.name}: all cells run", all(cell.execution_count for cell in code) and not any(output.output_type == "error" for output in outputs))
        yield check(f"{file.name}: the exercise is not solved", [outcome["solved"] for outcome in outcomes] == [False])
        yield check(f"{file.name}: no output is large", all(len(str(output)) < LARGE for output in outputs))


def check(name, holds):
    print(("ok    " if holds else "FAILED"), name, flush=True)
    return holds


def main(folder, *courses):
    results = []

    trained = run(nbformat.read(folder / "training.ipynb", as_version=4), folder)
    nbformat.validate(trained)
    training, result = trained.cells[4], trained.cells[5]
    results.append(check("trains, and a display is updated", training.outputs[0].data["text/plain"] == "step 30"))
    results.append(check("the loss falls", result.outputs[-1].data["text/plain"] == "true"))

    burst = run(notebook("for (let i = 0; i < 20_000; i++) console.log('line', i);", "console.log('after')"), folder)
    whole = "".join(f"line {i}\n" for i in range(20_000))
    results.append(check("20,000 lines arrive whole", text(burst.cells[0]) == whole and text(burst.cells[1]) == "after\n"))

    try:
        run(notebook("1", "const n: number = 2;\nthrow new RangeError(`no ${n}`);", "3"), folder)
        results.append(check("a failing cell raises", False))
    except CellExecutionError as error:
        results.append(check("a failing cell raises with its name and line", (error.ename, error.evalue) == ("RangeError", "no 2") and "cell[2]:2:7" in str(error)))

    went_on = run(notebook("throw new Error('one')", "console.log('two')", "lost.name", "console.log('four')"), folder, allow_errors=True)
    kinds = [[output.output_type for output in cell.outputs] for cell in went_on.cells]
    results.append(check("cells after an error run with allow_errors", kinds == [["error"], ["stream"], ["error"], ["stream"]]))

    asked = notebook("import { input } from 'posttrain/notebook';\nawait input('name?')")
    try:
        run(asked, folder)
        results.append(check("input is refused where nobody can be asked", False))
    except CellExecutionError as error:
        results.append(check("input is refused where nobody can be asked", "cannot ask" in str(error)))

    for each in courses:
        results.extend(course(each))

    return all(results)


if __name__ == "__main__":
    sys.exit(0 if main(*map(Path, sys.argv[1:])) else 1)
