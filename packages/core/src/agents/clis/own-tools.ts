/**
 * Name of the MCP server with the tools that we give an agent. CLIs use it as a prefix for the names of these tools.
 */
export const TOOL_SERVER = "switchyard"
export const TOOLS_URL_VARIABLE = "SWITCHYARD_TOOLS_URL"
export const TOOLS_TOKEN_VARIABLE = "SWITCHYARD_TOOLS_TOKEN"
