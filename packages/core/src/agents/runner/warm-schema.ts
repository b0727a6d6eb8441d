import * as z from "zod"

/** The proof that a process is the runner that was started ahead under this id, for whichever session wants one first. */
export const WarmTicket = z.object({ id: z.string().regex(/^[\w-]{1,64}$/), secret: z.string().min(1).max(100) })
export type WarmTicket = z.infer<typeof WarmTicket>

/** The question of a runner that was started ahead: which session it is to serve. */
export const WarmRequest = z.object({ warm: WarmTicket, executor: z.string().min(1).max(200) })
export type WarmRequest = z.infer<typeof WarmRequest>

/** `wait`: none yet. `leave`: none at all. `serve`: this one, by `SessionSettings` that are sealed for this runner. */
export const WarmAnswer = z.object({
  warm: z.discriminatedUnion("now", [
    z.object({ now: z.literal("wait") }),
    z.object({ now: z.literal("leave") }),
    z.object({ now: z.literal("serve"), sealed: z.base64() }),
  ]),
})
export type WarmAnswer = z.infer<typeof WarmAnswer>

/** The part of a runner's environment that belongs to its session. */
export const SessionSettings = z.object({
  RUNNER_SESSION: z.string(),
  RUNNER_TICKET: z.string(),
  RUNNER_KEY: z.string(),
  EXPOSE_VERBOSE_ERRORS: z.string(),
  ALLOWED_HOSTS: z.string(),
  /** Set where the machine can be suspended. */
  RUNNER_STANDBY: z.string().optional(),
})
export type SessionSettings = z.infer<typeof SessionSettings>
