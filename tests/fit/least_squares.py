#!/usr/bin/python3
"""Fits many numbers of device specs at once to measurements, through `drover estimate --cases --set`.

  least_squares.py --drover BUILD/drover_estimate --cases cases.csv --measured measured.csv \\
                   --parameters training.txt [--leave model] [--write devices/specs] [--report source device]

cases.csv and measured.csv are those of fit.py. A line of the parameter file is
  NAME[,NAME ..] LOW HIGH START      with NAME = ID.SECTION.KEY
and names in one line share one value. The loss is a robust sum of squares of ln(predicted / measured), with a weak
pull towards START (--pull) where the measurements say nothing. --write puts the values into the files of the
catalogue, as { value = .., fitted = ".." }; what they were fitted to is the text after # on the line.
Needs numpy, scipy and pandas.
"""
import argparse
import pathlib
import re

import numpy
import pandas
from scipy.optimize import least_squares

from fit import ratios, report


def read_parameters(path):
    found = []
    for line in pathlib.Path(path).read_text().splitlines():
        text, _, why = line.partition("#")
        if text.strip():
            names, low, high, start = text.split()
            found.append((names.split(","), float(low), float(high), float(start), why.strip()))
    return found


def settings(parameters, point):
    return {name: float(numpy.exp(x)) for (names, *_), x in zip(parameters, point) for name in names}


def residuals(options, measured, values):
    ratio = ratios(options, measured, values)
    error = numpy.log(numpy.where(numpy.isfinite(ratio), numpy.maximum(ratio, 1e-9), 10))
    return numpy.clip(error, -1, 1)


def fitted(options, measured, parameters, begin):
    low = numpy.log([p[1] for p in parameters])
    high = numpy.log([p[2] for p in parameters])
    start = numpy.log([p[3] for p in parameters])

    def loss(point):
        error = residuals(options, measured, settings(parameters, point))
        return numpy.concatenate([error, options.pull * (point - start)])

    inside = numpy.clip(begin, low + 1e-3, high - 1e-3)
    done = least_squares(loss, inside, loss="soft_l1", f_scale=0.08, bounds=(low, high), diff_step=1e-3,
                         max_nfev=options.rounds)
    return done.x


def write(folder, parameters, point):
    for (names, *_, why), x in zip(parameters, point):
        for name in names:
            identity, section, key = name.split(".")
            place = pathlib.Path(folder) / "generations" / f"{identity}.toml"
            if not place.exists():
                place = pathlib.Path(folder) / "devices" / f"{identity}.toml"
            line = f'{key} = {{ value = {numpy.exp(x):.4g}, fitted = "{why}" }}'
            put(place, section, key, line)


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


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--drover", required=True)
    reader.add_argument("--cases", required=True)
    reader.add_argument("--measured", required=True)
    reader.add_argument("--parameters", required=True)
    reader.add_argument("--catalogue")
    reader.add_argument("--pull", type=float, default=0.08)
    reader.add_argument("--rounds", type=int, default=12)
    reader.add_argument("--report", nargs="*", default=[])
    reader.add_argument("--leave")
    reader.add_argument("--write")
    reader.add_argument("--worst", type=int, default=0)
    reader.add_argument("--evaluate", action="store_true")
    options = reader.parse_args()
    measured = pandas.read_csv(options.measured, dtype={"id": str, "release": str}).fillna("")
    if "remark" in measured:
        measured = measured[measured["remark"] == ""].reset_index(drop=True)
    parameters = read_parameters(options.parameters)
    point = numpy.log([p[3] for p in parameters])
    if not options.evaluate:
        point = fitted(options, measured, parameters, point)
        for (names, *_), x in zip(parameters, point):
            print(f"{','.join(names)[:90]} = {numpy.exp(x):.4g}")
    values = {} if options.evaluate else settings(parameters, point)
    ratio = ratios(options, measured, values)
    report("all", measured, ratio)
    for column in options.report:
        for value, rows in measured.groupby(column.split("+")).groups.items():
            report(str(value)[:44], measured.loc[rows], ratio[rows])
    if options.worst:
        order = numpy.argsort(-numpy.abs(numpy.log(ratio)))[: options.worst]
        print(measured.assign(ratio=ratio).iloc[order].to_string())
    if options.leave:
        errors = numpy.zeros(len(measured))
        for value, rows in measured.groupby(options.leave).groups.items():
            found = fitted(options, measured.drop(rows).reset_index(drop=True), parameters, point)
            errors[rows] = ratios(options, measured.loc[rows], settings(parameters, found))
            report(f"left out: {value}"[:44], measured.loc[rows], errors[rows])
        for value, rows in measured.groupby("group").groups.items():
            report(f"left out, {value}", measured.loc[rows], errors[rows])
    if options.write:
        write(options.write, parameters, point)


if __name__ == "__main__":
    main()
