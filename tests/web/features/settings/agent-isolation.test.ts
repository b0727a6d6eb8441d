import { expect, it } from "vitest"
import { isolationLabel } from "../../../../packages/web/src/features/settings/agent-isolation.ts"

it("says in the studio how agents are kept apart", () => {
  const plain = { user: "server", sandbox: null, network: "machine", required: false } as const
  expect(isolationLabel(plain)).toBe("No sandbox, running as the server's user")
  expect(isolationLabel({ user: "own", sandbox: "bubblewrap", network: "listed", required: true })).toBe(
    "Sandboxed (bubblewrap), one user per agent, network limited to listed hosts",
  )
  expect(isolationLabel({ ...plain, required: true })).toBe("Off (no sandbox on this machine)")
  // A deployed server has null, and a server older than its studio has nothing.
  expect([isolationLabel(null), isolationLabel(undefined)]).toEqual([undefined, undefined])
})
