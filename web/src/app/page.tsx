import { useCallback } from "react";
import { Route, Switch, useLocation, useRoute } from "wouter";
import { Chat } from "../features/chat/chat";
import { COMPOSER_ID } from "../features/chat/composer-id";
import { SideBar } from "../features/conversations/side-bar";
import { SettingsMenu } from "../features/settings/settings-menu";
import { useTexts } from "../i18n/i18n";
import { AppLayout } from "../ui/layout/app-layout";
import { ErrorBoundary } from "./error-boundary";
import { FailedFace, NotFoundFace } from "./faces";
import { usePageTitle } from "./use-page-title";

const CONVERSATION = "/c/:id";

/** The side bar beside what the address names. */
export function Page() {
  const texts = useTexts();
  const [address, navigate] = useLocation();
  const [, parts] = useRoute<{ id: string }>(CONVERSATION);
  const currentId = parts?.id ?? null;
  const open = useCallback((id: string) => navigate(`/c/${encodeURIComponent(id)}`), [navigate]);
  const begin = useCallback(() => navigate("/"), [navigate]);
  usePageTitle(currentId);

  return (
    <AppLayout
      side={<SideBar currentId={currentId} onOpen={open} onNew={begin} footer={<SettingsMenu />} />}
      sideLabel={texts.sidebar.label}
      closeLabel={texts.sidebar.close}
      skip={{ to: COMPOSER_ID, label: texts.app.skipToComposer }}
    >
      <ErrorBoundary key={address} fallback={<FailedFace />}>
        <Switch>
          <Route path="/">
            <Chat conversationId={null} onStarted={open} />
          </Route>
          <Route path={CONVERSATION}>
            <Chat conversationId={currentId} onStarted={open} />
          </Route>
          <Route>
            <NotFoundFace />
          </Route>
        </Switch>
      </ErrorBoundary>
    </AppLayout>
  );
}
