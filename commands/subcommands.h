// The usage and the function of every command, one file each. main.cpp lists them in its table.
#pragma once

#include "commands/shell/options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

CommandUsage acknowledge_usage();
CommandUsage agent_usage();
CommandUsage alerts_usage();
CommandUsage cancel_usage();
CommandUsage cap_usage();
CommandUsage catalogue_usage();
CommandUsage compare_usage();
CommandUsage demo_usage();
CommandUsage devices_usage();
CommandUsage drain_usage();
CommandUsage estimate_usage();
CommandUsage feed_usage();
CommandUsage forget_usage();
CommandUsage frame_usage();
CommandUsage inject_usage();
CommandUsage jobs_usage();
CommandUsage keys_usage();
CommandUsage launch_usage();
CommandUsage policy_usage();
CommandUsage record_usage();
CommandUsage recording_usage();
CommandUsage resume_usage();
CommandUsage router_usage();
CommandUsage status_usage();
CommandUsage story_usage();
CommandUsage submit_usage();
CommandUsage top_usage();
CommandUsage validate_usage();
CommandUsage why_usage();

CommandOutcome run_acknowledge(Arguments& arguments);
CommandOutcome run_agent(Arguments& arguments);
CommandOutcome run_alerts(Arguments& arguments);
CommandOutcome run_cancel(Arguments& arguments);
CommandOutcome run_cap(Arguments& arguments);
CommandOutcome run_catalogue(Arguments& arguments);
CommandOutcome run_compare(Arguments& arguments);
CommandOutcome run_demo(Arguments& arguments);
CommandOutcome run_devices(Arguments& arguments);
CommandOutcome run_drain(Arguments& arguments);
CommandOutcome run_estimate(Arguments& arguments);
CommandOutcome run_feed(Arguments& arguments);
CommandOutcome run_forget(Arguments& arguments);
CommandOutcome run_frame(Arguments& arguments);
CommandOutcome run_inject(Arguments& arguments);
CommandOutcome run_jobs(Arguments& arguments);
CommandOutcome run_keys(Arguments& arguments);
CommandOutcome run_launch(Arguments& arguments);
CommandOutcome run_policy(Arguments& arguments);
CommandOutcome run_record(Arguments& arguments);
CommandOutcome run_recording(Arguments& arguments);
CommandOutcome run_resume(Arguments& arguments);
CommandOutcome run_router(Arguments& arguments);
CommandOutcome run_status(Arguments& arguments);
CommandOutcome run_story(Arguments& arguments);
CommandOutcome run_submit(Arguments& arguments);
CommandOutcome run_top(Arguments& arguments);
CommandOutcome run_validate(Arguments& arguments);
CommandOutcome run_why(Arguments& arguments);

}  // namespace drover::commands
