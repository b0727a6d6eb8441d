import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AppError } from "@switchyard/core/errors"
import { CreatedToken, Me, NewToken, Token } from "@switchyard/core/people/access/schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { rateLimit, unauthorized } from "../../http/authorize.ts"
import { clientAddress } from "../../http/client-address.ts"
import { clearLoginCookie, loginCookie, setLoginCookie } from "../../http/cookie.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"

const endpoint = endpointsOf("access")
const Ticket = z.object({ ticket: z.string(), expires_at: z.iso.datetime() }).openapi("Ticket")
const TicketRequest = z
  .object({
    purpose: z
      .enum(["ws", "stream"])
      .describe("`ws`: opens the WebSocket of a session or team; `stream`: opens the WebSocket for several sources"),
    resource: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,128}$/)
      .describe('The ID of the session or team, or "all" for the WebSocket for several sources'),
  })
  .openapi("TicketRequest")

/**
 * Limit per client address. Successful logins count too, because the limit would otherwise reveal whether a guess was
 * right.
 */
const LOGINS = { name: "logins", perMinute: 20 }

export const routes = {
  me: endpoint.get("/v1/me", { summary: "Get the current user", responses: answers(Me, "The current user") }),
  logIn: endpoint.post("/login", {
    summary: "Log a browser in with a token",
    request: { body: jsonBody(z.object({ token: z.string().max(1000) }).openapi("Login")) },
    responses: answers(Me, "The user; the login is set as a cookie"),
  }),
  logOut: endpoint.post("/logout", {
    summary: "Log a browser out",
    responses: answers(z.object({ logged_out: z.literal(true) }).openapi("LoggedOut"), "The login ended"),
  }),
  list: endpoint.get("/v1/tokens", {
    summary: "List your tokens, or everyone's if you are an admin",
    responses: answers(z.object({ tokens: z.array(Token) }).openapi("Tokens"), "Oldest first, without their secrets"),
  }),
  create: endpoint.post("/v1/tokens", {
    summary: "Create a token",
    request: { body: jsonBody(NewToken) },
    responses: answers(CreatedToken, "The token and its secret, which is not shown again", 201),
  }),
  revoke: endpoint.delete("/v1/tokens/{id}", {
    summary: "Revoke a token and every login made with it",
    request: { params: z.object({ id: z.string().min(1).max(100) }) },
    responses: answers(
      z.object({ id: z.string(), revoked: z.literal(true) }).openapi("RevokedToken"),
      "The token was revoked",
    ),
  }),
  ticket: endpoint.post("/v1/tickets", {
    summary: "Create a ticket for requests that can't have headers. It is valid for a minute, and only once",
    request: { body: jsonBody(TicketRequest) },
    responses: answers(Ticket, "The ticket", 201),
  }),
}

/** Serves logins, tokens and tickets. */
export function accessRoutes(deps: AppDeps): OpenAPIHono {
  const { config, access } = deps
  const options = { signal: deps.stopping }

  function me({ owner, scopes, tokenId }: ReturnType<typeof principal>, csrfToken: string | undefined): Me {
    const open = config.auth.mode === "open"
    const token_id = open ? null : tokenId
    return { owner, scopes, auth_mode: config.auth.mode, token_id, csrf_token: csrfToken ?? null }
  }

  async function logIn(c: Context, token: string): Promise<Me> {
    if (config.auth.mode === "open") throw new AppError("invalid_request", "Login is disabled on this server.")
    await rateLimit(deps, LOGINS, clientAddress(c, config))
    const login = await access.logins.open(token.trim(), options)
    if (!login) throw unauthorized(c)
    setLoginCookie(c, login.secret)
    return me(login.principal, login.csrfToken)
  }

  return createRoutes()
    .openapi(routes.me, (c) => c.json(me(principal(c), c.get("csrfToken")), 200))
    .openapi(routes.logIn, async (c) => c.json(await logIn(c, c.req.valid("json").token), 200))
    .openapi(routes.logOut, async (c) => {
      const secret = loginCookie(c)
      if (secret !== undefined) await access.logins.close(secret, options)
      clearLoginCookie(c)
      return c.json({ logged_out: true as const }, 200)
    })
    .openapi(routes.list, async (c) => {
      return c.json({ tokens: await Array.fromAsync(access.tokens.list(principal(c), options)) }, 200)
    })
    .openapi(routes.create, async (c) => {
      return c.json(await access.tokens.create(principal(c), c.req.valid("json"), options), 201)
    })
    .openapi(routes.revoke, async (c) => {
      const { id } = c.req.valid("param")
      await access.tokens.revoke(principal(c), id, options)
      return c.json({ id, revoked: true as const }, 200)
    })
    .openapi(routes.ticket, (c) => {
      const { ticket, expiresAt } = access.tickets.issue(principal(c), c.req.valid("json"))
      return c.json({ ticket, expires_at: new Date(expiresAt).toISOString() }, 201)
    })
}
