import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import { AppError } from "@switchyard/core/errors"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"

const endpoint = endpointsOf("settings")
const ConsentList = z.object({ consents: z.array(Consent) }).openapi("Consents")
const Withdrawn = z.object({ id: z.string(), withdrawn: z.literal(true) }).openapi("WithdrawnConsent")

export const routes = {
  list: endpoint.get("/api/v1/consents", {
    summary: "List your consents to running things on the server's machine",
    description:
      'Each one was given by a request with `"consent": true`. A consent to files that start programs is listed once its run has ended.',
    responses: answers(ConsentList, "All of your consents"),
  }),
  withdraw: endpoint.delete("/api/v1/consents/{id}", {
    summary: "Withdraw a consent",
    description:
      "It no longer applies to tasks, messages and checks that start later. It still applies to runs that have already started, including waiting ones.",
    request: { params: z.object({ id: z.string() }) },
    responses: answers(Withdrawn, "Withdrawn"),
  }),
}

/** Serves an owner's consents to commands that run without asking, to files that start programs, and to the owner's own setup. */
export function consentRoutes({ consents, startConsents, setupConsents, stopping }: AppDeps): OpenAPIHono {
  const options = { signal: stopping }
  return createRoutes()
    .openapi(routes.list, async (c) => {
      const { owner } = principal(c)
      const stores = [consents, startConsents, setupConsents]
      const lists = await Promise.all(stores.map((store) => store.list(owner, options)))
      return c.json({ consents: lists.flat() }, 200)
    })
    .openapi(routes.withdraw, async (c) => {
      const { owner } = principal(c)
      const { id } = c.req.valid("param")
      const stores = [consents, startConsents, setupConsents]
      const found = await Promise.all(stores.map((store) => store.withdraw(owner, id, options)))
      if (!found.includes(true)) throw new AppError("not_found", "You have no consent with this ID.", { id })
      return c.json({ id, withdrawn: true as const }, 200)
    })
}
