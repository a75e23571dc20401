// Every verb: what it understands, and what it does. One file per verb; main.cpp holds the table.
#pragma once

#include "commands/options.h"
#include "commands/outcome.h"

namespace drover::commands {

Usage acknowledge_usage();
Usage agent_usage();
Usage alerts_usage();
Usage cancel_usage();
Usage cap_usage();
Usage catalogue_usage();
Usage compare_usage();
Usage demo_usage();
Usage devices_usage();
Usage drain_usage();
Usage estimate_usage();
Usage feed_usage();
Usage forget_usage();
Usage frame_usage();
Usage inject_usage();
Usage jobs_usage();
Usage keys_usage();
Usage launch_usage();
Usage policy_usage();
Usage record_usage();
Usage recording_usage();
Usage resume_usage();
Usage router_usage();
Usage status_usage();
Usage story_usage();
Usage submit_usage();
Usage top_usage();
Usage validate_usage();
Usage why_usage();

Outcome run_acknowledge(Arguments& arguments);
Outcome run_agent(Arguments& arguments);
Outcome run_alerts(Arguments& arguments);
Outcome run_cancel(Arguments& arguments);
Outcome run_cap(Arguments& arguments);
Outcome run_catalogue(Arguments& arguments);
Outcome run_compare(Arguments& arguments);
Outcome run_demo(Arguments& arguments);
Outcome run_devices(Arguments& arguments);
Outcome run_drain(Arguments& arguments);
Outcome run_estimate(Arguments& arguments);
Outcome run_feed(Arguments& arguments);
Outcome run_forget(Arguments& arguments);
Outcome run_frame(Arguments& arguments);
Outcome run_inject(Arguments& arguments);
Outcome run_jobs(Arguments& arguments);
Outcome run_keys(Arguments& arguments);
Outcome run_launch(Arguments& arguments);
Outcome run_policy(Arguments& arguments);
Outcome run_record(Arguments& arguments);
Outcome run_recording(Arguments& arguments);
Outcome run_resume(Arguments& arguments);
Outcome run_router(Arguments& arguments);
Outcome run_status(Arguments& arguments);
Outcome run_story(Arguments& arguments);
Outcome run_submit(Arguments& arguments);
Outcome run_top(Arguments& arguments);
Outcome run_validate(Arguments& arguments);
Outcome run_why(Arguments& arguments);

}  // namespace drover::commands
