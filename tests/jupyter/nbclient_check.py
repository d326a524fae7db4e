"""Runs notebooks with the posttrain kernel through nbclient, strictly: a message that is missing is an error.

pip install nbclient==0.11.0
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


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


def check(name, holds):
    print(("ok    " if holds else "FAILED"), name, flush=True)
    return holds


def main(folder):
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

    return all(results)


if __name__ == "__main__":
    sys.exit(0 if main(Path(sys.argv[1])) else 1)
