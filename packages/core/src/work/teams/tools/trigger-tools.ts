import * as z from "zod"
import { type DurableTool, defineDurableTool } from "../../harness/durable-tools.ts"
import { TriggerAction, TriggerWhen } from "../trigger-schema.ts"
import { cancelTrigger, createTrigger } from "../triggers/trigger-rules.ts"
import { triggersText } from "../triggers/trigger-texts.ts"
import { type Member, onBoard } from "./member.ts"

/** Returns the tools for scheduling work and wake-ups. */
export function triggerTools({ deps, id }: Member): DurableTool[] {
  return [
    defineDurableTool({
      name: "schedule",
      description: "Schedule an action: at a time, repeatedly, after an event, or when the team is idle.",
      parameters: z.object({ when: TriggerWhen, action: TriggerAction }),
      run({ when, action }) {
        const triggerId = deps.newId("trg")
        return onBoard(
          (team) => createTrigger(team, { triggerId, when, action, by: id }, deps.clock.now()),
          () => `Created the trigger ${triggerId}.`,
        )
      },
    }),
    defineDurableTool({
      name: "list_triggers",
      description: "List the team's triggers.",
      parameters: z.object({}),
      run: () =>
        onBoard(
          () => [],
          (_events, team) => triggersText(team.triggers),
        ),
    }),
    defineDurableTool({
      name: "cancel_trigger",
      description: "Cancel a trigger.",
      parameters: z.object({ trigger_id: z.string().max(60) }),
      run: ({ trigger_id }) =>
        onBoard(
          (team) => cancelTrigger(team, trigger_id),
          () => `${trigger_id} is cancelled.`,
        ),
    }),
  ]
}
