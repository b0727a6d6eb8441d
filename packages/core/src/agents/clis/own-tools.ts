/** Name of the MCP server with an agent's own tools. CLIs use it as a prefix for the tool names. */
export const TOOL_SERVER = "switchyard"
export const TOOLS_URL_VARIABLE = "SWITCHYARD_TOOLS_URL"
export const TOOLS_TOKEN_VARIABLE = "SWITCHYARD_TOOLS_TOKEN"
