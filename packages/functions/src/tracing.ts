/**
 * LangChain sends what models are told to a third party when these are set, for whatever other project they were: takes
 * them out of the environment, and returns what is left.
 */
export function withoutTracing(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  for (const name of Object.keys(env)) if (TRACING.test(name)) delete env[name]
  return env
}

const TRACING = /^(LANGSMITH|LANGCHAIN)_/
