/** Name of the MCP server with an agent's own tools, and prefix of the CLIs' own names of them. */
export const TOOL_SERVER = "switchyard"
export const TOOLS_URL_VARIABLE = "SWITCHYARD_TOOLS_URL"
export const TOOLS_TOKEN_VARIABLE = "SWITCHYARD_TOOLS_TOKEN"
