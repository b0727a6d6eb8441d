import type { Invoke } from "./invoke.ts"

/** Creates an `Invoke` that loads the client at its first call, because most invocations of a function launch nothing. */
export function createLazyInvoke(): Invoke {
  let opening: Promise<Invoke> | undefined
  return async (...call) => {
    opening ??= import("./invoke.ts").then(({ createInvoke }) => createInvoke())
    await (await opening)(...call)
  }
}
