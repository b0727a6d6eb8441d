/**
 * Removes LangChain's variables from the environment and returns the environment. With these variables, even if they
 * were set for another project, LangChain would send prompts to a third party.
 */
export function withoutTracing(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  for (const name of Object.keys(env)) if (TRACING.test(name)) delete env[name]
  return env
}

const TRACING = /^(LANGSMITH|LANGCHAIN)_/
