import { delimiter } from "node:path"
import { withoutProxyCredentials } from "./proxy-environment.ts"

/**
 * Variables that agents inherit from the runner. None of them may contain a secret, or reveal that the runner itself
 * was started by an agent.
 */
const PASSED = [
  "TZ",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
]

/** Builds an agent's environment from these variables only, so that no other variables reach the agent. */
export function agentEnvironment(
  host: Record<string, string | undefined>,
  { home, temporary, programs }: { home: string; temporary: string; programs: string[] },
): Record<string, string> {
  const passed = PASSED.flatMap((name) => (host[name] ? [[name, host[name]] as const] : []))
  return {
    ...withoutProxyCredentials(Object.fromEntries(passed)),
    PATH: [...programs, host.PATH ?? "/usr/local/bin:/usr/bin:/bin"].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    SHELL: "/bin/sh",
  }
}
