import { createSendWebhook } from "@switchyard/core/people/webhooks/send"
import { type DeliverDeps, deliver } from "@switchyard/core/sessions/agents/deliver"
import type { DeliveryLaunch } from "@switchyard/core/work/runs/launcher"
import { openAnswerLinks } from "./access.ts"
import type { compose } from "./compose.ts"

/** Creates the webhook delivery from the process's core and master key. */
export function createWebhookDelivery(deps: {
  core: ReturnType<typeof compose>
  masterKey: Uint8Array
  address: () => string | undefined
}): (launch: DeliveryLaunch, options: { signal: AbortSignal }) => Promise<void> {
  const { core, masterKey, address } = deps
  const { clock } = core.executor
  return (launch, options) => {
    const delivering: DeliverDeps = {
      ...core.executor,
      webhooks: core.webhooks,
      questions: core.questions,
      launcher: core.launcher,
      answerLinks: openAnswerLinks({ masterKey, clock }),
      send: createSendWebhook({ hosts: core.hosts, clock }),
      address: address(),
    }
    return deliver(delivering, launch, options)
  }
}
