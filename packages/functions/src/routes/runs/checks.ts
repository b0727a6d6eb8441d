import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { inLiveSession } from "@switchyard/core/kernel/rules"
import { parseCheck, requireChecks } from "@switchyard/core/sessions/requests/check-request"
import { startRun } from "@switchyard/core/sessions/requests/start-run"
import { describeRun } from "@switchyard/core/sessions/run-view"
import { readSessionVerification, widerVerification } from "@switchyard/core/sessions/session-verification"
import type { SessionState } from "@switchyard/core/state"
import { readProject } from "@switchyard/core/work/gate/read-project"
import { CheckCommands } from "@switchyard/core/work/gate/schema"
import { setCheckCommands } from "@switchyard/core/work/gate/set-commands"
import { Run } from "@switchyard/core/work/runs/schema"
import { setVerification } from "@switchyard/core/work/verification/settings"
import { SessionVerification, VerificationChange } from "@switchyard/core/work/verification/settings-schema"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("sessions")

const NewCheck = z
  .object({
    consent: z
      .boolean()
      .default(false)
      .describe(
        "Consents to checks running the built project on this machine from now on. Needed only once, and only on a local server",
      ),
  })
  .openapi("NewCheck")

const NewVerification = VerificationChange.extend({ consent: NewCheck.shape.consent }).openapi("NewSessionVerification")

const Commands = z
  .object({
    found: CheckCommands.describe("Commands declared by the project's files"),
    set: CheckCommands.describe("Commands that override them"),
  })
  .openapi("SessionCheckCommands")

export const routes = {
  create: endpoint.post("/api/v1/sessions/{id}/checks", {
    summary: "Install, build, test and start a session's project",
    description:
      "Runs the project's declared commands on a clean copy, in a sandbox if the machine has one. Returns a run, whose last event contains the verdict.",
    request: { params: SessionId, body: jsonBody(NewCheck) },
    responses: answers(Run, "The run", 201),
  }),
  commands: endpoint.get("/api/v1/sessions/{id}/checks/commands", {
    summary: "Get the commands for checking a session's files",
    request: { params: SessionId },
    responses: answers(Commands, "The commands"),
  }),
  verification: endpoint.get("/api/v1/sessions/{id}/verification", {
    summary: "Get whether and how a session's tasks are verified",
    request: { params: SessionId },
    responses: answers(SessionVerification, "The settings"),
  }),
  setVerification: endpoint.put("/api/v1/sessions/{id}/verification", {
    summary: "Set whether and how a session's later tasks are verified",
    description:
      "Omitted fields keep their value; null means that the repository's setting applies. A task can override these settings.",
    request: { params: SessionId, body: jsonBody(NewVerification) },
    responses: answers(SessionVerification, "The settings"),
  }),
  setCommands: endpoint.put("/api/v1/sessions/{id}/checks/commands", {
    summary: "Set the commands for checking a session's files",
    description:
      "Omitted commands are detected automatically. A command set here has no network access, unless it is identical to the detected one.",
    request: { params: SessionId, body: jsonBody(CheckCommands) },
    responses: answers(Commands, "The commands"),
  }),
}

/** Serves checks of built projects. */
export function checkRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  async function describeCommands({ sid, state }: { sid: string; state: SessionState }) {
    const workspace = await openWorkspace(deps, { sid, state }, options)
    const { findChecks } = await import("@switchyard/core/work/gate/find-checks")
    const checks = findChecks(await readProject(workspace, options))
    const found = Object.fromEntries(checks.map(({ name, command }) => [name, command]))
    return { found, set: state.workspace.checkCommands }
  }

  return createRoutes()
    .openapi(routes.commands, async (c) => {
      const session = await deps.sessions.find(principal(c).owner, c.req.valid("param").id, options)
      return c.json(await describeCommands(session), 200)
    })
    .openapi(routes.setCommands, async (c) => {
      const { owner } = principal(c)
      const { sessionId } = await deps.sessions.find(owner, c.req.valid("param").id, options)
      const { session } = await deps.sessions.touch(owner, sessionId, options)
      await session.decide(inLiveSession(setCheckCommands(c.req.valid("json"), protectedOptions(c, deps))), options)
      return c.json(await describeCommands(session), 200)
    })
    .openapi(routes.verification, async (c) => {
      const { owner } = principal(c)
      const session = await deps.sessions.find(owner, c.req.valid("param").id, options)
      return c.json(await readSessionVerification(deps, owner, session, options), 200)
    })
    .openapi(routes.setVerification, async (c) => {
      const { owner } = principal(c)
      const { consent, ...change } = c.req.valid("json")
      const { sessionId } = await deps.sessions.find(owner, c.req.valid("param").id, options)
      const caller = protectedOptions(c, deps)
      if (change.verify) await requireChecks(deps, { owner, consent }, caller)
      const { session } = await deps.sessions.touch(owner, sessionId, options)
      const wider = await widerVerification(deps, owner, session, options)
      await session.decide(inLiveSession(setVerification(change, { ...wider, ...caller })), options)
      return c.json(await readSessionVerification(deps, owner, session, options), 200)
    })
    .openapi(routes.create, async (c) => {
      const { owner } = principal(c)
      const session = await deps.sessions.find(owner, c.req.valid("param").id, options)
      const run = await parseCheck(deps, { owner, session, ...c.req.valid("json") }, protectedOptions(c, deps))
      const { runId } = await startRun(deps, run, options)
      const found = await deps.runs.get(owner, runId, options)
      return c.json(await describeRun(deps, found, options), 201)
    })
}
