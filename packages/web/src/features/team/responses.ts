const schemas = () => import("@switchyard/core/work/teams/request-schema")

/** The shapes of a team's board and messages, loaded when a team is first shown. */
export const board = async () => (await schemas()).Board
export const messages = async () => (await schemas()).TeamMessages
