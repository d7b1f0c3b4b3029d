// The constants live among the host's sources because its compiler reads nothing outside them.
export * from "../src/layout";
