import * as z from "zod"
import { AppError } from "../../../errors.ts"
import { TeamTrigger, TriggerAction, TriggerWhen } from "../trigger-schema.ts"
import type { TriggerState, Triggers } from "../trigger-state.ts"

export const NewTeamTrigger = z.object({ when: TriggerWhen, action: TriggerAction }).meta({ id: "NewTeamTrigger" })

export const CreatedTeamTrigger = TeamTrigger.extend({
  webhook: z
    .string()
    .nullable()
    .describe("Path on this server for POST requests of other programs. Returned only once."),
}).meta({ id: "CreatedTeamTrigger" })

export const TeamTriggers = z.object({ triggers: z.array(TeamTrigger) }).meta({ id: "TeamTriggers" })

/** Returns a team's triggers, including ended ones, oldest first. */
export function toTriggers(triggers: Triggers): TeamTrigger[] {
  return Object.values(triggers).map(toTrigger)
}

/** Returns the trigger with this ID. Throws `not_found` if it doesn't exist. */
export function oneTrigger(triggers: Triggers, triggerId: string): TeamTrigger {
  const trigger = Object.hasOwn(triggers, triggerId) ? triggers[triggerId] : undefined
  if (!trigger) throw new AppError("not_found", `There is no trigger ${triggerId}.`)
  return toTrigger(trigger)
}

function toTrigger({ triggerId: id, when, action, status, nextAt, firings, firedAt }: TriggerState): TeamTrigger {
  return { id, when, action, status, next_at: nextAt, firings, fired_at: firedAt }
}
