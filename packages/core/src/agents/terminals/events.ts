import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"

const generation = z.int().positive()

/** `waiting`: it could not be had, and is asked for again. `lost`: it was there, and went before it served anybody. */
const RunnerPhase = z.enum(["requested", "provisioning", "pending", "running", "waiting", "lost"])

/** The runner of a session, and its terminals. Their bytes are in logs of their own. */
export const terminalEvents = [
  event("runner_awaited", "A runner is starting; `phase` says how far it is.", {
    generation,
    attempt: z.int().positive(),
    phase: RunnerPhase,
    reason: z.string().optional().describe("The reason for a delay"),
  }),
  event("runner_claimed", "A runner serves the session from here on; the terminals of an older one are dead.", {
    generation,
    executor: z.string(),
  }),
  event("runner_parked", "The runner had nothing left to do, or had to stop, and released everything.", {
    generation,
    reason: z.string(),
    standby: z.boolean().optional().describe("Whether its machine stays, to be suspended and resumed"),
    unheard: z.boolean().optional().describe("Whether people's messages wait for the next runner"),
  }),
  event("terminal_opened", "A terminal was opened. Its bytes are in a log of its own.", {
    pty: z.string(),
    kind: z.enum(["driver", "tui", "shell"]).describe("Who controls the program: the product, or a person"),
    title: z.string(),
    rows: z.int(),
    cols: z.int(),
  }),
  event("terminal_closed", "The program of a terminal ended; none of its processes is left.", {
    pty: z.string(),
    exit_code: z.number().nullable(),
    signal: z.number().nullable(),
    recording: z.string().nullable().describe("Key of the recording, as asciicast"),
  }),
  event("terminal_output", "The last screen of a terminal, as text.", { pty: z.string(), data: large(z.string()) }),
] as const
