// The verbs. Each is a row of this table and a file NAME_command.cpp in a folder of commands/,
// which defines NAME_usage() and run_NAME().
#pragma once

#include "commands/shell/options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

// In the order of the overview: name and summary; an empty summary hides the verb. A macro, because
// each name is also a part of the names of two functions.
#define DROVER_VERBS(VERB)                                                          \
  VERB(demo, "a whole fleet on this machine, with work and the dashboard")          \
  VERB(router, "routes jobs to the agents that connect to it")                      \
  VERB(agent, "emulates the devices of one host")                                   \
  VERB(top, "the live dashboard")                                                   \
  VERB(watch, "real devices in the dashboard, without a router")                    \
  VERB(frame, "one frame of the dashboard as text")                                 \
  VERB(submit, "submits one job, or all of a trace")                                \
  VERB(status, "totals of the fleet and its jobs")                                  \
  VERB(hosts, "a table of the hosts")                                               \
  VERB(devices, "a table of all devices")                                           \
  VERB(pools, "a table of the policy's pools")                                      \
  VERB(jobs, "a table of jobs, newest first")                                       \
  VERB(events, "what happened: events, alerts and actions")                         \
  VERB(why, "explains the placement of a job")                                      \
  VERB(inject, "injects faults into devices and hosts")                             \
  VERB(cap, "caps the power of the site or of a pool")                              \
  VERB(drain, "places no new work on devices; running work finishes")               \
  VERB(resume, "ends a drain: devices get new work again")                          \
  VERB(cancel, "cancels jobs")                                                      \
  VERB(alerts, "raised alerts, and the alert rules")                                \
  VERB(forget, "removes a host that will not return")                               \
  VERB(acknowledge, "acknowledges alerts")                                          \
  VERB(policy, "checks, shows and applies routing policies")                        \
  VERB(launch, "starts, stops and checks agents on many hosts over ssh")            \
  VERB(keys, "makes, allows and revokes keys for encrypted connections")            \
  VERB(record, "records the published stream to a file")                            \
  VERB(recording, "inspects, verifies, recovers, cuts and exports recordings")      \
  VERB(export, "prints or serves the metrics of a recording for Prometheus")        \
  VERB(catalogue, "the known devices and models")                                   \
  VERB(estimate, "predicts time, memory, power and cost of a workload on a device") \
  VERB(compare, "compares devices for one workload: which is cheapest, fastest")    \
  VERB(validate, "checks the device models against published measurements")         \
  VERB(completion, "prints a script that completes commands in bash, zsh or fish")  \
  VERB(config, "the settings file, and where each setting in force comes from")     \
  VERB(doctor, "checks this machine and says how to fix what is wrong")             \
  VERB(feed, "")                                                                    \
  VERB(story, "")                                                                   \
  VERB(complete, "")                                                                \
  VERB(man, "")

#define DROVER_DECLARE_VERB(name, summary) \
  CommandUsage name##_usage();             \
  CommandOutcome run_##name(Arguments& arguments);
DROVER_VERBS(DROVER_DECLARE_VERB)
#undef DROVER_DECLARE_VERB

}  // namespace drover::commands
