import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ConversationStoresProvider } from "../conversation/use-conversation";
import { KeyDialog } from "../features/settings/key-dialog";
import { I18nProvider, useTexts } from "../i18n/i18n";
import { ToastProvider } from "../ui/toast/toaster";
import { ErrorBoundary } from "./error-boundary";
import { FailedFace } from "./faces";
import { Page } from "./page";
import { newQueryClient } from "./query-client";

export function App() {
  return (
    <Providers>
      <Page />
      <KeyDialog />
    </Providers>
  );
}

/** What every part of the page finds around it. */
export function Providers({ children }: { children: ReactNode }) {
  const [queries] = useState(newQueryClient);
  return (
    <I18nProvider>
      <ErrorBoundary fallback={<FailedFace />}>
        <QueryClientProvider client={queries}>
          <ConversationStoresProvider>
            <Toasts>{children}</Toasts>
          </ConversationStoresProvider>
        </QueryClientProvider>
      </ErrorBoundary>
    </I18nProvider>
  );
}

function Toasts({ children }: { children: ReactNode }) {
  const texts = useTexts();
  return <ToastProvider dismissLabel={texts.app.dismiss}>{children}</ToastProvider>;
}
