import * as z from "zod"

/**
 * Proof that a process is the prestarted runner with this ID. A prestarted runner serves the first session that needs
 * one.
 */
export const WarmTicket = z.object({ id: z.string().regex(/^[\w-]{1,64}$/), secret: z.string().min(1).max(100) })
export type WarmTicket = z.infer<typeof WarmTicket>

/** A prestarted runner's request for a session that it can serve. */
export const WarmRequest = z.object({ warm: WarmTicket, executor: z.string().min(1).max(200) })
export type WarmRequest = z.infer<typeof WarmRequest>

/**
 * `wait`: there is no session yet. `leave`: exit without serving a session. `serve`: serve this session. Its
 * `SessionSettings` are encrypted for this runner.
 */
export const WarmAnswer = z.object({
  warm: z.discriminatedUnion("now", [
    z.object({ now: z.literal("wait") }),
    z.object({ now: z.literal("leave") }),
    z.object({ now: z.literal("serve"), sealed: z.base64() }),
  ]),
})
export type WarmAnswer = z.infer<typeof WarmAnswer>

/** Part of a runner's environment that is specific to its session. */
export const SessionSettings = z.object({
  RUNNER_SESSION: z.string(),
  RUNNER_TICKET: z.string(),
  RUNNER_KEY: z.string(),
  EXPOSE_VERBOSE_ERRORS: z.string(),
  ALLOWED_HOSTS: z.string(),
  /** Set if the machine can be suspended. */
  RUNNER_STANDBY: z.string().optional(),
})
export type SessionSettings = z.infer<typeof SessionSettings>
