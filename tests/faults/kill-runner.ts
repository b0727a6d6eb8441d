import type { TestServer } from "../functions/server.ts"
import { never } from "../settings.ts"

/** Kills the runner of a session, if there is a runner. */
export async function killRunner(server: TestServer, sessionId: string): Promise<void> {
  const { state } = await server.core().sessions.find("local", sessionId, { signal: never })
  const pid = Number(/\d+/.exec(state.runner.executor ?? "")?.[0] ?? 0)
  if (pid > 0) kill(pid)
}

/** Kills a process that may have just ended. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
