#!/usr/bin/env python3
"""Shows NVIDIA's GPUs, real or emulated: with pynvml where it is installed, else by ctypes."""

import ctypes
import sys


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


class Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


def with_ctypes():
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    nvml.nvmlErrorString.restype = ctypes.c_char_p

    def ask(function, *arguments):
        code = getattr(nvml, function)(*arguments)
        if code != 0:
            raise OSError(f"{function}: {nvml.nvmlErrorString(code).decode()}")

    def number(function, *arguments):
        value = ctypes.c_uint()
        ask(function, *arguments, ctypes.byref(value))
        return value.value

    ask("nvmlInit_v2")
    for index in range(number("nvmlDeviceGetCount_v2")):
        try:
            device = ctypes.c_void_p()
            ask("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(device))
            name = ctypes.create_string_buffer(96)
            ask("nvmlDeviceGetName", device, name, len(name))
            used, busy = Memory(), Utilization()
            ask("nvmlDeviceGetMemoryInfo", device, ctypes.byref(used))
            ask("nvmlDeviceGetUtilizationRates", device, ctypes.byref(busy))
            watts = number("nvmlDeviceGetPowerUsage", device) / 1000
            celsius = number("nvmlDeviceGetTemperature", device, 0)
            processes, count = (Process * 16)(), ctypes.c_uint(16)
            ask("nvmlDeviceGetComputeRunningProcesses_v3", device, ctypes.byref(count), processes)
        except OSError as problem:
            print(f"{index}  {problem}")
            continue
        show(index, name.value.decode(), busy.gpu, used, watts, celsius)
        for process in processes[: count.value]:
            text = ctypes.create_string_buffer(96)
            ask("nvmlSystemGetProcessName", process.pid, text, len(text))
            print(f"   {process.pid}  {text.value.decode()}  {process.memory / 2**20:.0f} MiB")
    ask("nvmlShutdown")


def with_pynvml(pynvml):
    pynvml.nvmlInit()
    for index in range(pynvml.nvmlDeviceGetCount()):
        try:
            device = pynvml.nvmlDeviceGetHandleByIndex(index)
            name = pynvml.nvmlDeviceGetName(device)
            show(
                index,
                name if isinstance(name, str) else name.decode(),
                pynvml.nvmlDeviceGetUtilizationRates(device).gpu,
                pynvml.nvmlDeviceGetMemoryInfo(device),
                pynvml.nvmlDeviceGetPowerUsage(device) / 1000,
                pynvml.nvmlDeviceGetTemperature(device, 0),
            )
            for process in pynvml.nvmlDeviceGetComputeRunningProcesses(device):
                text = pynvml.nvmlSystemGetProcessName(process.pid)
                print(f"   {process.pid}  {text}  {process.usedGpuMemory / 2**20:.0f} MiB")
        except pynvml.NVMLError as problem:
            print(f"{index}  {problem}")
    pynvml.nvmlShutdown()


def show(index, name, busy, memory, watts, celsius):
    used, total = memory.used / 2**20, memory.total / 2**20
    print(f"{index}  {name}  {busy} %  {used:.0f} / {total:.0f} MiB  {watts:.1f} W  {celsius} C")


if __name__ == "__main__":
    try:
        import pynvml
    except ImportError:
        pynvml = None
    try:
        with_pynvml(pynvml) if pynvml else with_ctypes()
    except OSError as problem:
        sys.exit(f"read_nvml.py: {problem}")
