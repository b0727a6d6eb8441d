import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"

const generation = z.int().positive()

/**
 * `waiting`: no runner was available, and the request will be repeated. `lost`: the runner ended before it served a
 * session.
 */
const RunnerPhase = z.enum(["requested", "provisioning", "pending", "running", "waiting", "lost"])

/** Events about a session's runner and terminals. Terminal output is stored in separate logs. */
export const terminalEvents = [
  event("runner_awaited", "A runner is starting; `phase` shows its progress.", {
    generation,
    attempt: z.int().positive(),
    phase: RunnerPhase,
    reason: z.string().optional().describe("Reason for a delay"),
    size: z.string().optional().describe("Size of its container, if the repository's settings name one"),
  }),
  event("runner_claimed", "A runner now serves the session. The terminals of earlier runners are dead.", {
    generation,
    executor: z.string(),
  }),
  event("runner_parked", "The runner was idle or had to stop, and released everything.", {
    generation,
    reason: z.string(),
    standby: z.boolean().optional().describe("True if its machine is kept, so that it can be resumed"),
    unheard: z.boolean().optional().describe("True if people's messages are waiting for the next runner"),
  }),
  event("terminal_opened", "A terminal was opened. Its output is in a separate log.", {
    pty: z.string(),
    kind: z.enum(["driver", "tui", "shell"]).describe("Who controls the program: the product (driver) or a person"),
    title: z.string(),
    rows: z.int(),
    cols: z.int(),
  }),
  event("terminal_closed", "The terminal's program ended, and all its processes are gone.", {
    pty: z.string(),
    exit_code: z.number().nullable(),
    signal: z.number().nullable(),
    recording: z.string().nullable().describe("Key of the asciicast recording"),
  }),
  event("terminal_output", "The terminal's last screen, as text.", { pty: z.string(), data: large(z.string()) }),
] as const
