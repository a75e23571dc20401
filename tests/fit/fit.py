#!/usr/bin/python3
"""Fits numbers of device specs to published measurements, through `drover validate`.

  fit.py --validate BUILD/tests/fit/drover_validate --data TABLE.csv [TABLE.csv ..] --class train-gpu train-tpu \\
         --parameters training.txt [--leave model] [--write devices/specs] [--report source source+device]

What is fitted is what users get: every round asks the whole program with `--set`, and its `--rows` say each
prediction beside its measurement. A line of the parameter file is
  NAME[,NAME ..] LOW HIGH START  # to what it is fitted
with NAME = ID.SECTION.KEY; names in one line share one value. The loss is a robust sum of squares of the relative error (of the difference, where the class is absolute), with
a weak pull towards START (--pull) where the measurements say nothing. --write puts the values into the files of the
catalogue as { value = .., fitted = ".." }. --leave fits again without the rows of each value of a column (source,
device, model, family) and reports the error on those. --only and --without choose rows (COLUMN=PATTERN, a regular
expression; source+device joins cells by a space); --timed leaves out those whose answer in another class is missed by
more: the watts of a case whose time is wrong say nothing. Needs numpy, scipy and pandas.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import pandas
from scipy.optimize import least_squares

ABSOLUTE = {"power-cap"}  # errors are differences
# Where watts and caps are fitted together, an error weighs by what is asked of its class.
GOALS = {"power": 0.07, "power-cap": 0.03}
SOFT = 0.08               # errors beyond count less
WORST = 1.5               # and no more than this
STEP = 2e-3               # of logarithms, for slopes


def read_parameters(paths):
    found = []
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            text, _, why = line.partition("#")
            if not text.strip():
                continue
            names, low, high, start = text.split()
            found.append((names.split(","), float(low), float(high), float(start), why.strip()))
    return found


def settings(parameters, point):
    return {name: float(numpy.exp(x)) for (names, *_), x in zip(parameters, point) for name in names}


class Measurements:
    def __init__(self, options):
        self.options = options
        table = self.rows({})
        # The figures that the program carries come beside every table; each counts once.
        keep = table["class"].isin(options.classes) & ~table["id"].str.startswith("drover/")
        for text, wanted in [(t, True) for t in options.only] + [(t, False) for t in options.without]:
            columns, _, pattern = text.partition("=")
            cells = table[columns.split("+")].agg(" ".join, axis=1)
            keep &= cells.str.contains(pattern, regex=True) == wanted
        if options.timed:
            missed = (table["predicted"] / table["value"] - 1).abs() > options.timed
            keep &= ~table["id"].isin(table["id"][missed & ~table["class"].isin(options.classes)])
        self.keep = keep
        self.table = table[keep].reset_index(drop=True)
        groups = self.table.groupby(options.weigh)["id"].transform("size") if options.weigh else 1
        weight = numpy.broadcast_to(1 / numpy.sqrt(groups), len(self.table))
        weight = weight / self.table["class"].map(lambda name: GOALS.get(name, 0.08))
        self.weight = weight / numpy.sqrt(numpy.mean(numpy.square(weight)))

    def rows(self, values):
        parts = []
        for table in self.options.data:
            with tempfile.NamedTemporaryFile(suffix=".csv") as file:
                command = [self.options.validate, table, "--rows", file.name]
                for name, value in values.items():
                    command += ["--set", f"{name}={value:.9g}"]
                done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                if done.returncode != 0:
                    sys.exit(done.stderr)
                parts.append(pandas.read_csv(file.name, dtype=str, keep_default_na=False))
        table = pandas.concat(parts, ignore_index=True).drop_duplicates(["id", "class"], ignore_index=True)
        table["device"] = table["catalogue_id"]
        table["family"] = table["model"].str.extract(r"([A-Za-z]+)", expand=False).fillna("").str.lower()
        for column in ("value", "predicted"):
            table[column] = table[column].astype(float)
        return table

    def predicted(self, values):
        return self.rows(values)[self.keep.to_numpy()]["predicted"].to_numpy()

    def errors(self, predicted):
        """The loss works on these."""
        value = self.table["value"].to_numpy()
        absolute = self.table["class"].isin(ABSOLUTE).to_numpy()
        error = predicted / value - 1
        error[absolute] = (predicted - value)[absolute]
        return numpy.clip(error, -WORST, WORST)


def fitted(measurements, parameters, begin, rows, options):
    low = numpy.log([p[1] for p in parameters])
    high = numpy.log([p[2] for p in parameters])
    start = numpy.log([p[3] for p in parameters])
    pool = concurrent.futures.ThreadPoolExecutor(options.threads)

    def loss(point):
        error = measurements.errors(measurements.predicted(settings(parameters, point)))
        return numpy.concatenate([(error * measurements.weight)[rows], options.pull * (point - start)])

    def slopes(point):
        steps = numpy.where(point + STEP < high, STEP, -STEP)
        points = [point] + [point + steps * (numpy.arange(len(point)) == i) for i in range(len(point))]
        values = list(pool.map(loss, points))
        return numpy.array([(value - values[0]) / step for step, value in zip(steps, values[1:])]).T

    inside = numpy.clip(begin, low + 1e-3, high - 1e-3)
    return least_squares(loss, inside, jac=slopes, loss="soft_l1", f_scale=SOFT, bounds=(low, high),
                         max_nfev=options.rounds).x


def report(name, table, predicted):
    if len(table) == 0:
        return
    value = table["value"].to_numpy()
    absolute = table["class"].isin(ABSOLUTE).to_numpy()
    error = numpy.where(absolute, predicted - value, predicted / value - 1)
    size = numpy.abs(error) * 100
    print(f"{name:<52} rows {len(size):5d}  mean {size.mean():6.1f}  median {numpy.median(size):6.1f}  "
          f"p90 {numpy.percentile(size, 90):6.1f}  bias {100 * error.mean():+6.1f}")


def report_groups(measurements, predicted, columns):
    table = measurements.table
    for column in columns:
        for value, rows in table.groupby(column.split("+")).groups.items():
            report(f"  {' '.join(value) if isinstance(value, tuple) else value}"[:52], table.loc[rows], predicted[rows])


def leave_out(measurements, parameters, point, options):
    table = measurements.table
    left = numpy.zeros(len(table))
    for value, rows in table.groupby(options.leave).groups.items():
        kept = numpy.setdiff1d(numpy.arange(len(table)), rows)
        found = fitted(measurements, parameters, point, kept, options)
        left[rows] = measurements.predicted(settings(parameters, found))[rows]
        report(f"left out: {value}"[:52], table.loc[rows], left[rows])
    for value, rows in table.groupby("class").groups.items():
        report(f"left out by {options.leave}: {value}", table.loc[rows], left[rows])


def write(folder, parameters, point):
    for (names, *_, why), x in zip(parameters, point):
        for name in names:
            identity, section, key = name.split(".")
            place = pathlib.Path(folder) / "generations" / f"{identity}.toml"
            if not place.exists():
                place = pathlib.Path(folder) / "devices" / f"{identity}.toml"
            put(place, section, key, f'{key} = {{ value = {numpy.exp(x):.4g}, fitted = "{why}" }}')


def put(place, section, key, line):
    text = place.read_text()
    if f"[{section}]" not in text:
        before = "\n[price]" if "\n[price]" in text else "\n[clock]" if "\n[clock]" in text else "\n[software]"
        at = text.index(before) if before in text else len(text)
        text = text[:at] + f"\n[{section}]\n" + text[at:]
    start = text.index(f"[{section}]\n") + len(section) + 3
    end = text.find("\n[", start)
    end = len(text) if end < 0 else end + 1
    body = text[start:end]
    pattern = re.compile(rf"^{key} = .*\n", re.M)
    if pattern.search(body):
        body = pattern.sub(lambda _: line + "\n", body)
    else:
        body = body.rstrip("\n") + ("\n" if body.strip() else "") + line + "\n" + ("\n" if end < len(text) else "")
    place.write_text(text[:start] + body + text[end:])


def read_options():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--validate", required=True)
    reader.add_argument("--data", required=True, nargs="+")
    reader.add_argument("--class", dest="classes", required=True, nargs="+")
    reader.add_argument("--parameters", nargs="*", default=[])
    reader.add_argument("--only", nargs="*", default=[])
    reader.add_argument("--without", nargs="*", default=[])
    reader.add_argument("--timed", type=float)
    reader.add_argument("--weigh", nargs="*", default=[], help="columns: groups weigh as the root of their rows")
    reader.add_argument("--pull", type=float, default=0.08)
    reader.add_argument("--rounds", type=int, default=12)
    reader.add_argument("--threads", type=int, default=2)
    reader.add_argument("--report", nargs="*", default=[])
    reader.add_argument("--leave")
    reader.add_argument("--write")
    return reader.parse_args()


def main():
    options = read_options()
    measurements = Measurements(options)
    parameters = read_parameters(options.parameters)
    point = numpy.log([p[3] for p in parameters])
    everything = numpy.arange(len(measurements.table))
    predicted = measurements.predicted({})
    report("as it is", measurements.table, predicted)
    if parameters:
        point = fitted(measurements, parameters, point, everything, options)
        for (names, low, high, *_), x in zip(parameters, point):
            value = float(numpy.exp(x))
            edge = "  at the end of its range" if min(x - numpy.log(low), numpy.log(high) - x) < 0.01 else ""
            print(f"{','.join(names)[:90]} = {value:.4g}{edge}")
        predicted = measurements.predicted(settings(parameters, point))
    report_groups(measurements, predicted, ["class"] + options.report)
    if options.leave:
        leave_out(measurements, parameters, point, options)
    if options.write:
        write(options.write, parameters, point)


if __name__ == "__main__":
    main()
