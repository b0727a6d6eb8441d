/**
 * Polls the run with `ask` until it ends. A single request waits at most 50 seconds, and a run can take longer on a
 * busy machine.
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
