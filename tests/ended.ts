/**
 * The run, once it has ended, as `ask` gets it from a path: one request waits for less than a minute, which on a busy machine
 * is less than a run takes.
 */
export async function ended<Run extends { ended_at: string | null }>(
  ask: (path: string) => Promise<Run>,
  runId: string,
): Promise<Run> {
  for (;;) {
    const run = await ask(`/v1/runs/${runId}?wait=50`)
    if (run.ended_at !== null) return run
  }
}
