#!/usr/bin/python3
"""Fits the sections [layers] of the generations, through `drover estimate --cases --set`.

  fit_layers.py --drover BUILD/tests/fit/drover_estimate --cases cases.csv --measured measured.csv \
                --generations devices/specs/generations [--write] [--leave device=L4] [--rounds 5]

cases.csv     the columns of `drover estimate --cases`, one row per measurement, with an id
measured.csv  id, answer (column of the estimate), value, source
The shares of the peak (fp32 .. fp8) are each generation's own; every other key has one value for all generations.
Damped Gauss-Newton on ln(predicted / measured), soft beyond 15 %, each source, model and device with the weight of
the root of its rows. --leave fits without the rows whose column starts so and prints the error on them. --write puts
the values into the generation files. Needs numpy and pandas.
"""
import argparse
import io
import os
import re
import subprocess
import sys
import tempfile
import tomllib

import numpy
import pandas

SHARES = ("fp32", "tf32", "fp16", "int8", "fp8")
SOFT = 0.15
PRIOR = 0.04


def read_start(folder):
    start, generations = {}, sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".toml"))
    for generation in generations:
        with open(os.path.join(folder, generation + ".toml"), "rb") as file:
            layers = tomllib.load(file)["layers"]
        for key, entry in layers.items():
            start[f"{generation}.{key}" if key in SHARES else f"*.{key}"] = entry["value"]
    return start, generations


class Fit:
    def __init__(self, options, generations, start):
        self.options, self.generations, self.start = options, generations, start
        table = pandas.read_csv(options.cases, dtype=str, keep_default_na=False).set_index("id")
        measured = pandas.read_csv(options.measured, dtype={"id": str}).set_index("id")
        self.rows = measured.join(table[["device", "model", "kind"]], rsuffix="_case")
        same = pandas.concat([table.loc[self.rows.index].drop(columns=[]), self.rows["source"]], axis=1)
        keys = same.astype(str).agg("|".join, axis=1)
        self.rows["value"] = self.rows.groupby(keys)["value"].transform("median")
        self.rows = self.rows[~keys.duplicated()]
        self.cases = tempfile.NamedTemporaryFile("w", suffix=".csv")
        table.loc[self.rows.index].reset_index().to_csv(self.cases.name, index=False)
        size = self.rows.groupby(["source", "model", "device"])["value"].transform("size")
        self.weight = (1 / numpy.sqrt(size)).to_numpy()

    def logs(self, values):
        command = [self.options.drover, "--cases", self.cases.name, "--out", "-"]
        for name, value in values.items():
            generation, key = name.split(".")
            for each in self.generations if generation == "*" else [generation]:
                command += ["--set", f"{each}.layers.{key}={value:.6g}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr[:2000])
        answers = pandas.read_csv(io.StringIO(done.stdout), dtype={"id": str}).set_index("id").loc[self.rows.index]
        predicted = numpy.array([answers[c].iloc[i] for i, c in enumerate(self.rows["answer"])], float)
        return numpy.log(predicted / self.rows["value"].to_numpy(float))

    def limits(self, name):
        if name.split(".")[1] in SHARES:
            return numpy.log(0.08), 0.0
        high = numpy.log(self.start[name] * 12)
        return numpy.log(self.start[name] / 12), min(high, 0.0) if name in ("*.attention", "*.hidden_reduction") else high

    def cost(self, logs, values, used):
        prior = sum(numpy.log(values[n] / self.start[n]) ** 2 for n in values) * PRIOR / 2
        return (self.weight * numpy.sqrt(1 + (logs / SOFT) ** 2) * SOFT)[used].sum() + prior

    def fitted(self, used, rounds):
        values, damping = dict(self.start), 1.0
        logs = self.logs(values)
        used = used & numpy.isfinite(logs)
        for _ in range(rounds):
            names, columns = list(values), []
            for name in names:
                step = 0.03 if numpy.log(values[name]) + 0.03 < self.limits(name)[1] else -0.03
                columns.append((self.logs({**values, name: values[name] * numpy.exp(step)}) - logs) / step)
            jacobian = numpy.array(columns).T[used]
            soft = self.weight[used] / numpy.sqrt(1 + (logs[used] / SOFT) ** 2) / SOFT
            normal = jacobian.T @ (soft[:, None] * jacobian)
            slope = jacobian.T @ (soft * logs[used]) + [PRIOR * numpy.log(values[n] / self.start[n]) for n in names]
            before, found = self.cost(logs, values, used), False
            for _ in range(5):
                damped = normal + numpy.diag(PRIOR + damping * 0.05 * (1 + numpy.diag(normal)))
                move = numpy.clip(-numpy.linalg.solve(damped, slope), -0.5, 0.5)
                trial = {n: float(numpy.exp(numpy.clip(numpy.log(values[n]) + m, *self.limits(n))))
                         for n, m in zip(names, move)}
                tried = self.logs(trial)
                if self.cost(tried, trial, used) < before:
                    values, logs, damping, found = trial, tried, max(damping / 3, 1e-3), True
                    break
                damping *= 4
            if not found or before - self.cost(logs, values, used) < 0.002 * before:
                break
        return values


def report(rows, logs, columns):
    error = numpy.expm1(logs)
    table = rows.assign(error=numpy.abs(error), bias=error).groupby(columns)
    print(table.agg(n=("error", "size"), mean=("error", "mean"), median=("error", "median"),
                    bias=("bias", "mean")).round(3).to_string())
    print("all", round(float(numpy.nanmean(numpy.abs(error))), 4), "median", round(float(numpy.nanmedian(numpy.abs(error))), 4))


def write(folder, generations, values, note):
    for generation in generations:
        place = os.path.join(folder, generation + ".toml")
        text = open(place).read()
        start, end = text.index("\n[layers]\n"), None
        end = text.find("\n[", start + 2)
        section = text[start:end]
        for name, value in values.items():
            owner, key = name.split(".")
            if owner in ("*", generation):
                shown = f"{value:.3g}" if value < 1000 else f"{value:.0f}"
                section = re.sub(rf"\n{key} = \{{[^\n]*", f'\n{key} = {{ value = {shown}, fitted = "{note}" }}', section)
        open(place, "w").write(text[:start] + section + text[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("drover", "cases", "measured", "generations"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--leave")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    start, generations = read_start(options.generations)
    fit = Fit(options, generations, start)
    everything = numpy.ones(len(fit.rows), bool)
    if options.leave:
        column, prefix = options.leave.split("=")
        left = fit.rows[column].astype(str).str.startswith(prefix).to_numpy()
        report(fit.rows[left], fit.logs(fit.fitted(~left, options.rounds))[left], ["source", "model"])
        return
    values = fit.fitted(everything, options.rounds)
    logs = fit.logs(values)
    report(fit.rows, logs, ["source", "model"])
    report(fit.rows, logs, ["device"])
    if options.write:
        write(options.generations, generations, values, f"tests/fit, median error {100 * numpy.nanmedian(numpy.abs(numpy.expm1(logs))):.0f} %")


main()
