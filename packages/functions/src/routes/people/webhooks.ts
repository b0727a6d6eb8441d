import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { CreatedWebhook, Delivery, NewWebhook, Webhook } from "@switchyard/core/people/webhooks/schema"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { requireSafeUrl } from "../../http/safe-url.ts"

const endpoint = endpointsOf("webhooks")
const WebhookList = z.object({ webhooks: z.array(Webhook) }).openapi("Webhooks")
const DeliveryList = z.object({ deliveries: z.array(Delivery) }).openapi("Deliveries")
/** Accepts any text. Text that isn't a valid ID simply matches no webhook. */
const params = z.object({ webhook: z.string().max(100) })

export const routes = {
  list: endpoint.get("/api/v1/webhooks", {
    summary: "List your webhooks",
    responses: answers(WebhookList, "All webhooks, without their secrets"),
  }),
  create: endpoint.post("/api/v1/webhooks", {
    summary: "Create a webhook, called when agents ask questions and when runs end",
    request: { body: jsonBody(NewWebhook) },
    responses: answers(CreatedWebhook, "The webhook, with its secret", 201),
  }),
  remove: endpoint.delete("/api/v1/webhooks/{webhook}", {
    summary: "Delete a webhook",
    request: { params },
    responses: { ...answers(z.null(), "Deleted", 204), 204: { description: "Deleted" } },
  }),
  deliveries: endpoint.get("/api/v1/webhooks/{webhook}/deliveries", {
    summary: "List a webhook's deliveries from the last week, newest first",
    request: { params },
    responses: answers(DeliveryList, "At most 50"),
  }),
}

/** Serves an owner's webhooks. */
export function webhookRoutes({ webhooks, deliveries, hosts, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  return createRoutes()
    .openapi(routes.list, async (c) => c.json({ webhooks: await webhooks.list(principal(c).owner, options) }, 200))
    .openapi(routes.create, async (c) => {
      const webhook = c.req.valid("json")
      await requireSafeUrl(
        hosts,
        new URL(webhook.url),
        "Unless the host is on a private network, the URL must begin with https://.",
        options,
      )
      return c.json(await webhooks.create(principal(c).owner, webhook, options), 201)
    })
    .openapi(routes.remove, async (c) => {
      await webhooks.remove(principal(c).owner, c.req.valid("param").webhook, options)
      return c.body(null, 204)
    })
    .openapi(routes.deliveries, async (c) => {
      const { webhook: id } = c.req.valid("param")
      const { owner } = principal(c)
      if (!(await webhooks.list(owner, options)).some((webhook) => webhook.id === id)) {
        throw new AppError("not_found", "There is no webhook with this ID.")
      }
      return c.json({ deliveries: await deliveries.list(owner, id, options) }, 200)
    })
}
