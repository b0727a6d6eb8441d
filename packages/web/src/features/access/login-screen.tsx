import { Me } from "@switchyard/core/people/access/schema"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useLocation, useSearch } from "wouter"
import { ApiError } from "../../api/client.ts"
import { paths } from "../../session/context/routes.ts"
import { useBrowser, useStudio } from "../../session/context/studio.ts"
import { Button } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-text.ts"
import { Form } from "../../ui/form.tsx"
import { SecretField } from "../../ui/secret-field.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"
import { Gate } from "./gate.tsx"
import { nextPath } from "./next-path.ts"

/** Asks for a token, then continues to the requested page. */
export function LoginScreen() {
  const { config } = useStudio()
  const me = useBrowser((state) => state.me)
  const next = nextPath(useSearch())
  if (config.auth_mode === "open") return <Inside words="You don't need to sign in to this server." next={next} />
  if (me) return <Inside words={`Signed in as ${me.owner}.`} next={next} />
  return (
    <Gate title="Sign in" intro="This server requires an access token. Ask your admin for one.">
      <LoginForm next={next} />
    </Gate>
  )
}

function LoginForm({ next }: { next: string }) {
  const { logIn, error, busy } = useLogin(next)
  const [token, setToken] = useState("")
  return (
    <Form onSubmit={() => void logIn(token.trim())} noValidate className="flex flex-col gap-4">
      <SecretField
        label="Access token"
        name="token"
        autoComplete="current-password"
        autoFocus
        value={token}
        onChange={setToken}
        error={error}
      />
      <Button type="submit" tone="primary" disabled={busy || token.trim() === ""} className="w-full">
        {busy ? "Signing in…" : "Sign in"}
      </Button>
      <details className="text-sm text-ink-2">
        <summary className="text-ink-3">Where do I get an access token?</summary>
        <p className="mt-2">
          To create one, run <code className="font-mono text-xs">npx switchyard token create --name laptop</code> on the
          server's machine. If you run the server yourself, you can also use the sign-in link printed at startup, or the
          token in <code className="font-mono text-xs">admin.token</code> in the server's data folder.
        </p>
      </details>
    </Form>
  )
}

function useLogin(next: string) {
  const { api, browser } = useStudio()
  const client = useQueryClient()
  const [, go] = useLocation()
  const { attempt, busy, error } = useAttempt()
  const logIn = (token: string) =>
    attempt(async () => {
      const me = await api.call("POST /login", { body: { token }, response: Me })
      // The previous user's data must not show up for this one.
      client.clear()
      browser.setState({ me, loggedOut: false })
      go(next, { replace: true })
    })
  return { logIn, error: error === null ? null : wordsFor(error), busy }
}

/** The server's message explains how to send a token, but a person needs to know what is wrong with theirs. */
function wordsFor(refused: unknown): string {
  if (refused instanceof ApiError && refused.code === "unauthorized")
    return "Invalid access token. It may be mistyped, revoked or expired."
  return errorText(refused)
}

function Inside({ words, next }: { words: string; next: string }) {
  return (
    <Gate title="You're signed in" intro={words}>
      <TextLink href={next}>{next === paths.home() ? "Go home" : "Continue"}</TextLink>
    </Gate>
  )
}
