import { createWebhooks, type Webhooks } from "@switchyard/core/people/webhooks/webhooks"
import { createDeliveries, type Deliveries } from "@switchyard/core/sessions/agents/deliveries"

export type WebhookDeps = Parameters<typeof createWebhooks>[0] &
  Omit<Parameters<typeof createDeliveries>[0], "webhooks">

/** Opens owners' webhooks and the deliveries to them. */
export function openWebhooks(deps: WebhookDeps): { webhooks: Webhooks; deliveries: Deliveries } {
  const webhooks = createWebhooks(deps)
  return { webhooks, deliveries: createDeliveries({ ...deps, webhooks }) }
}
