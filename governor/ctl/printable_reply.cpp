// SPDX-License-Identifier: MIT
// All fields of type string that a Reply can have; structure.replies_are_made_printable looks for
// those that are missing.
#include "printable_reply.hpp"

#include "render/columns.hpp"

namespace ctl {

namespace {

namespace v1 = governor::v1;

template <class... Texts>
void clean(Texts*... texts) {
        ((*texts = render::printable(*texts)), ...);
}

void clean_each(google::protobuf::RepeatedPtrField<std::string>& texts) {
        for (auto& text : texts)
                clean(&text);
}

void clean_client(v1::Client& client) {
        clean(client.mutable_cpus(), client.mutable_reason(), client.mutable_label(),
              client.mutable_acts());
}

void clean_settings(google::protobuf::RepeatedPtrField<v1::Setting>& settings) {
        for (auto& setting : settings)
                clean(setting.mutable_key(), setting.mutable_value(), setting.mutable_origin());
}

void clean_config(v1::Config& config) {
        clean(config.mutable_configuration_error());
        clean_settings(*config.mutable_setting());
        for (auto& program : *config.mutable_program()) {
                clean(program.mutable_name());
                clean_settings(*program.mutable_setting());
        }
}

void clean_explanation(v1::Explanation& explanation) {
        clean_client(*explanation.mutable_client());
        clean_each(*explanation.mutable_step());
        clean_each(*explanation.mutable_event());
}

void clean_status(v1::Status& status) {
        clean(status.mutable_policy(), status.mutable_version(), status.mutable_mode(),
              status.mutable_configuration_error());
}

}  // namespace

void make_printable(v1::Reply& reply) {
        switch (reply.kind_case()) {
        case v1::Reply::kError:
                return clean(reply.mutable_error()->mutable_message(),
                             reply.mutable_error()->mutable_accepted());
        case v1::Reply::kAdvice:
                return clean(reply.mutable_advice()->mutable_explanation());
        case v1::Reply::kStatus:
                return clean_status(*reply.mutable_status());
        case v1::Reply::kConfig:
                return clean_config(*reply.mutable_config());
        case v1::Reply::kClients:
                for (auto& client : *reply.mutable_clients()->mutable_client())
                        clean_client(client);
                return;
        case v1::Reply::kClient:
                return clean_client(*reply.mutable_client());
        case v1::Reply::kExplanation:
                return clean_explanation(*reply.mutable_explanation());
        case v1::Reply::kEvents:
                for (auto& event : *reply.mutable_events()->mutable_event())
                        clean(event.mutable_text(), event.mutable_label());
                return;
        case v1::Reply::kCpus:
        case v1::Reply::kWelcome:
        case v1::Reply::kDone:
        case v1::Reply::kYourTurn:
        case v1::Reply::KIND_NOT_SET:
                return;
        }
}

}  // namespace ctl
