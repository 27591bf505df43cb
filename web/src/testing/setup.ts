import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// A busy machine is slow; a test that is right does not wait so long.
configure({ asyncUtilTimeout: 10_000 });

afterEach(cleanup);

// What a page with a doctype has and happy-dom lacks; formulas are not set without it. Tests of the network have no page.
if (typeof document !== "undefined") Object.defineProperty(document, "compatMode", { value: "CSS1Compat" });
