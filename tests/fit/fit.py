#!/usr/bin/python3
"""Fits numbers of device specs to measurements, through `drover estimate --cases --set`.

  fit.py --drover BUILD/drover_estimate --cases cases.csv --measured measured.csv \
         --parameters hopper.matrix.efficiency:0.3:0.98 hopper.matrix.launch_us:0.5:20 [--leave source]

cases.csv     the columns of `drover estimate --cases`, one row per measurement, with an id
measured.csv  id, answer (column of the estimate), value, and any columns to group by (source, device, model)
Each parameter is ID.SECTION.KEY:LOW:HIGH; it starts at the middle of its range or at :START. The loss is the mean
of |ln(predicted / measured)|, which is nearly the mean relative error; rows without an answer count as 1.
--leave COLUMN fits once per value of that column without its rows and reports the error on them.
--report COLUMN.. prints errors by those columns. --evaluate only evaluates. Needs numpy, scipy and pandas.
"""
import argparse
import io
import subprocess
import sys

import numpy
import pandas
from scipy.optimize import minimize


def predictions(options, settings):
    command = [options.drover, "--cases", options.cases, "--out", "-"]
    if options.catalogue:
        command += ["--catalogue", options.catalogue]
    for name, value in settings.items():
        command += ["--set", f"{name}={value:.9g}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return pandas.read_csv(io.StringIO(done.stdout), dtype={"id": str}).set_index("id")


def ratios(options, measured, settings):
    answers = predictions(options, settings).loc[measured["id"]]
    predicted = [answers[column].iloc[i] for i, column in enumerate(measured["answer"])]
    return numpy.array(predicted, dtype=float) / measured["value"].to_numpy(dtype=float)


def loss(options, measured, settings):
    error = numpy.abs(numpy.log(numpy.maximum(ratios(options, measured, settings), 1e-9)))
    error[~numpy.isfinite(error)] = 1
    return numpy.minimum(error, 2).mean()


def parameters(texts):
    found = {}
    for text in texts:
        name, low, high, *start = text.split(":")
        low, high = float(low), float(high)
        found[name] = (low, high, float(start[0]) if start else (low + high) / 2)
    return found


def fitted(options, measured, wanted, start=None):
    names = list(wanted)

    def settings(point):
        shares = 1 / (1 + numpy.exp(-point))
        return {n: wanted[n][0] + s * (wanted[n][1] - wanted[n][0]) for n, s in zip(names, shares)}

    begin = []
    for name in names:
        low, high, value = wanted[name]
        share = min(max(((start or {}).get(name, value) - low) / (high - low), 0.02), 0.98)
        begin.append(numpy.log(share / (1 - share)))
    done = minimize(lambda p: loss(options, measured, settings(p)), begin, method="Nelder-Mead",
                    options={"maxfev": options.evaluations, "xatol": 1e-3, "fatol": 1e-5,
                             "initial_simplex": simplex(begin)})
    return settings(done.x), done.fun


def simplex(begin):
    corners = [list(begin)]
    for i in range(len(begin)):
        corner = list(begin)
        corner[i] += 0.7
        corners.append(corner)
    return corners


def report(name, measured, ratio):
    error = numpy.abs(ratio - 1) * 100
    print(f"{name:<44} rows {len(ratio):5d}  mean {error.mean():6.1f} %  median {numpy.median(error):6.1f} %  "
          f"p90 {numpy.percentile(error, 90):6.1f} %  bias {(ratio.mean() - 1) * 100:+6.1f} %")


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--drover", required=True)
    reader.add_argument("--cases", required=True)
    reader.add_argument("--measured", required=True)
    reader.add_argument("--parameters", nargs="*", default=[])
    reader.add_argument("--catalogue")
    reader.add_argument("--set", nargs="*", default=[], help="fixed settings NAME=VALUE")
    reader.add_argument("--leave")
    reader.add_argument("--report", nargs="*", default=[])
    reader.add_argument("--evaluate", action="store_true")
    reader.add_argument("--evaluations", type=int, default=300)
    reader.add_argument("--worst", type=int, default=0)
    options = reader.parse_args()
    measured = pandas.read_csv(options.measured, dtype={"id": str})
    fixed = {name: float(value) for name, value in (text.split("=") for text in options.set)}
    wanted = parameters(options.parameters)
    best = dict(fixed)
    if wanted and not options.evaluate:
        found, value = fitted(options, measured, wanted)
        best.update(found)
        for name, number in found.items():
            print(f"{name} = {number:.4g}")
        print(f"loss {value:.4f}")
    ratio = ratios(options, measured, best)
    answered = numpy.isfinite(ratio)
    print(f"without an answer: {int((~answered).sum())} of {len(ratio)}")
    measured, ratio = measured[answered].reset_index(drop=True), ratio[answered]
    report("all", measured, ratio)
    for column in options.report:
        for value, rows in measured.groupby(column).groups.items():
            report(f"{column} {value}"[:44], measured.loc[rows], ratio[rows])
    if options.worst:
        order = numpy.argsort(-numpy.abs(numpy.log(ratio)))[: options.worst]
        print(measured.assign(ratio=ratio).iloc[order].to_string())
    if options.leave and wanted:
        errors = []
        for value, rows in measured.groupby(options.leave).groups.items():
            found, _ = fitted(options, measured.drop(rows).reset_index(drop=True), wanted, best)
            left = ratios(options, measured.loc[rows], {**fixed, **found})
            report(f"left out: {value}"[:44], measured.loc[rows], left)
            errors.append(left)
        report("left out, all", measured, numpy.concatenate(errors))


if __name__ == "__main__":
    main()
